// Every kind of token: names, numbers, strings over two lines, signs of one and two characters.
model Signs "two
lines"
  parameter Real 'quoted name'[2] = {1, 2.5e-3};
  Real x(start = 0) /* a comment is no token */;
equation
  der(x) = -'quoted name'[1] .* x ^ 2 + (if x <> 0 and x >= 1 then 1 else 0);
end Signs;
