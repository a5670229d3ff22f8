// A planar frame is connected to a spatial one.
model PlanarToSpatial
  inner Vincolo.Mechanics.Planar.World world;
  Vincolo.Mechanics.Planar.Fixed ground;
  Vincolo.Mechanics.Spatial.Revolute joint;
equation
  connect(ground.frame, joint.a);
end PlanarToSpatial;
