import LightRunner from 'jest-light-runner/child-process';

/**
 * Runs test files one after the other in processes that load each module once. With one worker, jest-light-runner runs
 * the files in Jest's own process, which a failing file can end.
 */
export default class OneAfterTheOther extends LightRunner {
  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: 2 }, context);
  }

  runTests(tests, watcher, onStart, onResult, onFailure) {
    const ends = new Map();
    let previous = Promise.resolve();
    const start = async (test) => {
      const before = previous;
      previous = new Promise((resolve) => {
        ends.set(test, resolve);
      });
      await before;
      return onStart(test);
    };
    const ended = (report) => async (test, outcome) => {
      await report(test, outcome);
      ends.get(test)();
    };
    return super.runTests(tests, watcher, start, ended(onResult), ended(onFailure));
  }
}
