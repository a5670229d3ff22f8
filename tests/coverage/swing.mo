model Swing "A thin rod on a ball joint, from components: it starts level and is pushed sideways"
  import Vincolo.Mechanics.Spatial.*;
  inner World world;
  Fixed ceiling;
  Spherical ball;
  Bar rod(m = 2, span = {1.2, 0, 0}, J = diagonal({1e-3, 0.24, 0.24}), w(start = {0, 0, 1.5}, fixed = {true, true, true}),
    r(start = {0.6, 0, 0}), p(start = {1, 0, 0, 0}));
equation
  connect(ceiling.frame, ball.a);
  connect(ball.b, rod.a);
  annotation(experiment(StopTime = 1));
end Swing;
