// Discrete equations that depend on each other at an event are one system, linear or not, whether the loop is closed by
// other discrete variables or by equations of continuous time. The right values are solved by hand.
model DiscreteLoops
  discrete Real y(start = 0, fixed = true), w(start = 0, fixed = true) "y = 1 - y";
  discrete Real p(start = 0, fixed = true), q(start = 0, fixed = true) "q = (time + pre(q))/2";
  discrete Real a(start = 0.5, fixed = true), b(start = 0.5, fixed = true) "a = cos(a)";
  discrete Real c(start = 0, fixed = true) "c = 1 - 2 x with x = (0.5 - 1.2 c)/2";
  Real x, z;
  discrete Real d(start = 0, fixed = true) "d = 1 + v/2 with v = -d";
  Real v;
  Integer i(start = 0, fixed = true), j(start = 0, fixed = true) "each branch has an order of its own";
equation
  when time > 0.5 then
    y = w + 1;
    w = -y;
    a = cos(b);
    b = a;
    c = -2*x + 1;
    d = 0.5*v + 1;
  end when;
  x + c + z = 0.5;
  z - x = 0.2*c;
  v = -d;
  when sample(0.25, 0.25) then
    p = q - pre(q);
    q = -p + time;
  end when;
  when time > 0.75 then
    i = 3;
    j = 2*i;
  elsewhen time > 0.5 then
    j = 5;
    i = j + 1;
  end when;
  assert(time < 0.6 or abs(y - 0.5) < 1e-12 and abs(w + 0.5) < 1e-12, "y = 1/2, w = -1/2");
  assert(time < 0.6 or abs(a - 0.7390851332151607) < 1e-9 and abs(a - b) < 1e-12, "the fixed point of cos");
  assert(time < 0.6 or abs(c + 2.5) < 1e-9 and abs(x - 1.75) < 1e-9, "c = -5/2, x = 7/4");
  assert(time < 0.6 or abs(d - 2/3) < 1e-9, "d = 2/3");
  assert(time < 0.6 or time > 0.7 or i == 6 and j == 5, "the second branch");
  assert(time < 0.8 or i == 3 and j == 6, "the first branch");
  // q = 1/8, 5/16, 17/32 at t = 1/4, 1/2, 3/4
  assert(time < 0.8 or time > 0.9 or abs(q - 17/32) < 1e-12 and abs(p - (17/32 - 5/16)) < 1e-12, "samples");
end DiscreteLoops;
