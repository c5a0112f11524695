// Node.js ends a process as soon as a rejection has no handler. A test may make several calls that fail and look at them
// one after the other, so that a process ends only for a rejection that nobody looked at for a while.

const patience = 5000;
const waiting = new Map<Promise<unknown>, NodeJS.Timeout>();

process.on('unhandledRejection', (reason, promise) => {
  waiting.set(
    promise,
    setTimeout(() => {
      throw reason;
    }, patience),
  );
});
process.on('rejectionHandled', (promise) => {
  clearTimeout(waiting.get(promise));
  waiting.delete(promise);
});
