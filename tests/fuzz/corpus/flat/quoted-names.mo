model Sub
  Real 'a b' = 1, plain = 2, 'quoted' = 3;
end Sub;
model QuotedNames
  Sub 'my sub', s;
  Real 'x.y' = 1, 'it\'s' = 2, 'simple' = 3, 'back\\slash' = 4;
  Real sum = 'my sub'.'a b' + 'x.y' + 'it\'s' + 'simple' + s.'quoted';
end QuotedNames;
