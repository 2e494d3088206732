//! Points and directions in space.

use std::ops::{Add, Mul, Sub};

/// A point or a direction, in kilometers along three axes at right angles.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Vector {
    /// Along the first axis.
    pub x: f64,
    /// Along the second axis.
    pub y: f64,
    /// Along the third axis: for Earth, towards the north pole.
    pub z: f64,
}

impl Vector {
    /// The origin: for Earth, its center.
    pub const ZERO: Vector = Vector { x: 0.0, y: 0.0, z: 0.0 };

    /// A vector of three components.
    pub const fn new(x: f64, y: f64, z: f64) -> Self {
        Vector { x, y, z }
    }

    /// The scalar product.
    pub fn dot(self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    /// The vector product.
    #[must_use]
    pub fn cross(self, other: Vector) -> Vector {
        Vector::new(
            self.y * other.z - self.z * other.y,
            self.z * other.x - self.x * other.z,
            self.x * other.y - self.y * other.x,
        )
    }

    /// The length.
    pub fn length(self) -> f64 {
        self.dot(self).sqrt()
    }

    /// The distance to another point.
    pub fn distance(self, other: Vector) -> f64 {
        (self - other).length()
    }

    /// The same direction with length one; the origin stays.
    #[must_use]
    pub fn unit(self) -> Vector {
        match self.length() {
            0.0 => self,
            length => self * (1.0 / length),
        }
    }

    /// The same vector in axes that have turned by an angle about the third one, eastward.
    #[must_use]
    pub fn in_turned_axes(self, angle: f64) -> Vector {
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        Vector::new(cos * self.x + sin * self.y, cos * self.y - sin * self.x, self.z)
    }
}

impl Add for Vector {
    type Output = Vector;
    fn add(self, other: Vector) -> Vector {
        Vector::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for Vector {
    type Output = Vector;
    fn sub(self, other: Vector) -> Vector {
        Vector::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<f64> for Vector {
    type Output = Vector;
    fn mul(self, factor: f64) -> Vector {
        Vector::new(self.x * factor, self.y * factor, self.z * factor)
    }
}
