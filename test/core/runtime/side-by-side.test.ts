import { setTimeout as pause } from 'node:timers/promises';
import { sideBySide } from '../../../core/runtime/side-by-side.ts';

test('what is done side by side has ended when it failed, and fails as the first of it', async () => {
  const ended: string[] = [];
  const slow = (async () => {
    await pause(20);
    ended.push('slow');
  })();
  await expect(sideBySide([Promise.reject(new Error('first')), slow, Promise.reject(new Error('second'))])).rejects.toThrow('first');
  expect(ended).toEqual(['slow']);
  await sideBySide([Promise.resolve(1)]);
});
