model M
  import SI = Modelico.Units;
  SI.Voltage v;
end M;
