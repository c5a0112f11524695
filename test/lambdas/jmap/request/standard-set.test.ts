import { statedRecordTypes } from '../../../support/stated-methods.ts';
import { jmapDeployment } from '../jmap-deployment.ts';

describe('the /set of every record type of an account', () => {
  // @pitfall set if-in-state
  test('fails with stateMismatch for another ifInState, with and without changes, and accepts the current one', async () => {
    const deployment = await jmapDeployment();
    const types = (await statedRecordTypes()).filter(({ methods, owner }) => methods.includes('set') && owner !== 'principal');
    expect(types.length).toBeGreaterThanOrEqual(2);
    for (const { name, capability } of types) {
      const call = (method: string, args: Record<string, unknown>) => deployment.call(`${name}/${method}`, args, { using: [capability] });
      const { state } = await call('get', { ids: [] });
      for (const changes of [{}, { create: { new: {} } }, { update: { none: {} } }, { destroy: ['none'] }]) {
        for (const ifInState of ['', 'nonsense', `${String(state)}0`]) {
          expect([name, await call('set', { ifInState, ...changes })]).toMatchObject([name, { type: 'stateMismatch' }]);
        }
      }
      expect([name, await call('set', { ifInState: state })]).toMatchObject([name, { oldState: state, newState: state }]);
    }
  });
});
