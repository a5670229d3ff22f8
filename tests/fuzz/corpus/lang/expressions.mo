model Expressions "Every form of expression"
  Real a = 1, b = 1.5, c = .5, d = 2., e = 1e3, f = 2.5E-3;
  Real sum = a + b - c .+ d .- e;
  Real product = a*b/c .* d ./ e;
  Real power = a^b + a .^ b + (a^b)^c + a^(-2);
  Real signs = -a*b + (-c) - (-d) + (+e);
  Boolean logic = not a < b and (b <= c or c > d) and not (d >= e) or a == b or a <> b;
  Boolean literals = true or false;
  Real choice = if a > b then 1 elseif b > c then 2 else if c > d then 3 else 4;
  Real nested = (if a > b then 1 else 2) + (if if true then false else true then 1 else 2);
  Real range[:] = 1:3, steps[:] = 10:-2.5:0, both[:] = (1:2):3;
  Real array[2, 2] = {{1, 2}, {3, 4}}, matrix[2, 2] = [1, 2; 3, 4];
  Real comprehension[:] = {i*j for i in 1:3, j in {1, 2}};
  Real implicit[:] = {array[i, 1] for i};
  Real reduction = sum(i^2 for i in 1:10) + max(x[i] for i);
  Real call = f() + g(1) + g(1, 2) + g(1, y = 2) + g(x = 1, y = 2) + .A.B.f(1);
  Real partial_application = quad(function g(A = 1, w = 2), 0, 1, f = function h());
  Real subscripts = array[1, end] + array[end - 1, 1] + sum(array[:, 2]) + a.b[1].c[2:end].d;
  Real fields = (f(a)).x + (array*matrix)[1, 2] + (a, b)[1];
  Real builtin = der(a) + pure(f(a)) + (if initial() then 1 else 0) + delay(a, 0.1);
  String text = "a" + "b" + "with \"quotes\", \\ and \n";
  String lines = "two
lines";
  String unicode = "Größe è λ 𝄞";
  Real 'a quoted name' = 'x+y' + '\'';
  Real very_long = 123456789012345678901234567890.0 + 1e-300;
equation
  (a, , b) = f(c);
  (, b) = f(c);
  (a + b)*c = -d;
end Expressions;
