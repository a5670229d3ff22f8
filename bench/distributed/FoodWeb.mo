model FoodWeb "Prey and predators that diffuse: the problem of IDA's idaFoodWeb_kry_bbd_p"
  parameter Integer n = 20 "points in each direction";
  parameter Real alpha = 50, beta = 1000 "how rates depend on the place";
  parameter Real e = 10000 "growth of predators by prey", g = 0.5e-6 "loss of prey to predators";
  parameter Real d1 = 1 "diffusion of prey";
  parameter Real d2(fixed = false) "diffusion of predators; open until the start, so that no equation is solved for a
    neighbour: a march from neighbour to neighbour multiplies errors by ten at every point";
  final parameter Real h = 1/(n - 1);
  final parameter Real pi = 3.1415926535898 "as there";
  final parameter Real b[n, n] = {{1 + alpha*(i - 1)*h*(j - 1)*h + beta*sin(4*pi*(i - 1)*h)*sin(4*pi*(j - 1)*h)
    for j in 1:n} for i in 1:n};
  Real prey[n, n](start = {{10 + (16*(i - 1)*h*(1 - (i - 1)*h)*(j - 1)*h*(1 - (j - 1)*h))^2 for j in 1:n} for i in 1:n},
    each fixed = true);
  Real predator[n, n](each start = 1e5, each nominal = 1);
initial equation
  d2 = 0.05;
equation
  for i in 1:n, j in 1:n loop
    der(prey[i, j]) = d1*(prey[if i > 1 then i - 1 else 2, j] + prey[if i < n then i + 1 else n - 1, j]
      + prey[i, if j > 1 then j - 1 else 2] + prey[i, if j < n then j + 1 else n - 1] - 4*prey[i, j])/h^2
      + prey[i, j]*(b[i, j] - prey[i, j] - g*predator[i, j]);
    0 = d2*(predator[if i > 1 then i - 1 else 2, j] + predator[if i < n then i + 1 else n - 1, j]
      + predator[i, if j > 1 then j - 1 else 2] + predator[i, if j < n then j + 1 else n - 1] - 4*predator[i, j])/h^2
      + predator[i, j]*(-b[i, j] + e*prey[i, j] - predator[i, j]);
  end for;
  annotation(experiment(StopTime = 1, Tolerance = 1e-5));
end FoodWeb;
