model Legal
  constant Real g = 9.81;
  parameter Real m = 2;
  model Fall
    parameter Real m;
    Real F = m*g;
  end Fall;
  Fall fall(m = m);
end Legal;

model IllegalParameter
  parameter Real m = 2;
  model Fall
    Real F = 9.81*m;
  end Fall;
  Fall fall;
end IllegalParameter;

// The variable of the class nearest around counts, though there is a constant further out.
model IllegalShadowed
  constant Real g = 9.81;
  model Planet
    Real g = time;
    model Fall
      Real F = g;
    end Fall;
    Fall fall;
  end Planet;
  Planet p;
end IllegalShadowed;
