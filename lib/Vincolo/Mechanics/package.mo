within Vincolo;
package Mechanics "Masses on a line, shafts, bodies in the plane and in space"
end Mechanics;
