/** Loaded into programs that the sandbox runs (`node --import`): they end when the process that started them is gone, however it went. */
const parent = process.ppid;
setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 500).unref();
