# SPDX-License-Identifier: Apache-2.0
#
# What the scripts of packages have in common. Sourced in the root folder of the project.
packages=build/packages
version=$(sed -n 's/^project(orrery VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
name=orrery-$version-linux-$(uname -m)

. packaging/say.sh

# The archives that this system's apt uses, one a line: URI, release, component, label.
apt_archives() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN) $(LABEL)' 'Created-By: Packages' |
    awk '$4 == "Debian" || $4 == "Ubuntu" { print $1, $2, $3, $5 }' | sort -u
}
