model StreamOfParameter "inStream of what no connector holds"
  parameter Real q = 3;
  parameter Real s = inStream(q);
end StreamOfParameter;
