model 'A name with spaces' "quoted names"
  Real 'a.b', 'x\'y', 'end', 'model', '+', '\\', '\t', _underscore, e1, E;
  Real endx = 'a.b' + 'x\'y'*'end';
equation
  'a.b'[1].'+' = 1;
end 'A name with spaces';
