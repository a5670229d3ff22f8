model Motor
  Real speed = 1;
protected
  Real torque = 2;
end Motor;
model M
  Motor m;
  Real t = m.torque;
end M;
