model M "café"
end M;
