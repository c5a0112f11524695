/** Loaded into Node programs that the sandbox runs, and those that they run (`node --import`): they end when the sandbox is gone, however it went. */
const parent = process.ppid;
const supervisor = Number(process.env['POSTRIDER_SUPERVISOR']);

const isGone = () => {
  try {
    return !process.kill(supervisor, 0);
  } catch {
    return true;
  }
};

setInterval(() => {
  if (process.ppid !== parent || isGone()) process.exit(1);
}, 500).unref();
