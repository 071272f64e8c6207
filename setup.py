"""Install acres_ros as an ament_python package."""

from pathlib import Path

from setuptools import find_packages, setup

NAME = "acres_ros"
SHARED = ("config", "examples", "launch", "resource")


def data_files():
    """Return the files that go below `share/acres_ros`, folder by folder."""
    files = [
        ("share/ament_index/resource_index/packages", [f"resource/{NAME}"]),
        (f"share/{NAME}", ["package.xml"]),
    ]
    for top in SHARED:
        for folder in sorted({path.parent for path in Path(top).rglob("*") if path.is_file()}):
            names = sorted(str(path) for path in folder.iterdir() if path.is_file() and path.suffix != ".pyc")
            if names:
                files.append((f"share/{NAME}/{folder}", names))
    return files


setup(
    name=NAME,
    version="0.1.0",
    description="A node suite that stands in for the drive-by-wire Polaris Ranger of the ACRE farm.",
    license="Apache-2.0",
    maintainer="acres_ros developers",
    maintainer_email="acres-ros@users.noreply.github.com",
    packages=find_packages(include=[NAME, f"{NAME}.*"]),
    package_data={"": ["*.xml", "*.json", "*.yaml", "*.urdf", "*.bash"]},
    data_files=data_files(),
    python_requires=">=3.10",
    install_requires=["setuptools"],
    zip_safe=False,
    entry_points={
        "console_scripts": [
            "acres = acres_ros.cli.main:main",
            "acres_physics = acres_ros.nodes.physics_program:main",
            "acres_vehicle = acres_ros.nodes.vehicle_program:main",
        ]
    },
)
