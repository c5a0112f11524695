/** Preloaded (`node --import`) into the sandbox's Node.js child processes and theirs: ends them when the sandbox's process or their parent has ended. */
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
