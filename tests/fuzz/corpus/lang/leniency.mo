within;
model Leniency "What libraries written for older versions contain"
  annotation(first = 1);
  Real x;
  annotation(second = 2);
equation
  x = 1;
  annotation(third = 3, Icon(graphics = {Line(points = {{-90, 0}, {70, 0}}), Text(extent = {{-1, -1}, {1, 1}}, textString = "%name")}));
end Leniency;

final model Second
end Second;
