import { unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { jmapDeployment, type JmapDeployment, type Json } from '../jmap-deployment.ts';
import { blobCalls } from './blob-calls.ts';

const limit = unadvertisedLimits.maxSizeUploadsPerDay;

describe('the blobs that the calls of a day add to an account', () => {
  let deployment: JmapDeployment;
  let calls: ReturnType<typeof blobCalls>;
  const used = async () => (await deployment.jmap.dependencies.uploadedOctets.read('acc_alice')).used;
  beforeEach(async () => {
    deployment = await jmapDeployment({ quotaDefaults: { octets: 1000, count: 10 } });
    calls = blobCalls(deployment);
    await deployment.jmap.dependencies.uploadedOctets.add('acc_alice', limit - 10, limit);
  });

  test('are refused as overQuota above the limit by Blob/upload, and the others of the call are made', async () => {
    const create = { large: { data: [{ 'data:asText': 'eleven more' }] }, small: { data: [{ 'data:asText': 'ten more!!' }] } };
    expect(await calls.call('Blob/upload', { create })).toMatchObject({
      created: { small: { size: 10 } },
      notCreated: { large: { type: 'overQuota', description: expect.stringContaining('maxSizeUploadsPerDay') } },
    });
    expect(await used()).toBe(limit);
    await expect(calls.create({ 'data:asText': 'x' })).rejects.toMatchObject({ type: 'overQuota' });
    expect(await calls.create({ 'data:asText': '' })).toMatchObject({ size: 0 });
  });

  test('are refused as overQuota above the limit by Blob/copy', async () => {
    await deployment.addMember('alice', 'acc_bob', 'READ', false);
    const [small, large] = [await deployment.upload(Buffer.from('six of'), 'acc_bob'), await deployment.upload(Buffer.from('five more'), 'acc_bob')];
    const copied = await deployment.call('Blob/copy', { fromAccountId: 'acc_bob', accountId: 'acc_alice', blobIds: [small, large] });
    expect(copied).toMatchObject({ copied: { [small]: small }, notCopied: { [large]: { type: 'overQuota' } } });
    expect(await used()).toBe(limit - 4);
  });

  test('count together in the calls of one request', async () => {
    const upload = (text: string) => ['Blob/upload', { create: { b: { data: [{ 'data:asText': text }] } } }] as const;
    expect((await calls.request(upload('six of'), upload('seven'), upload('four'))).map(({ created }) => (created as Json | null) !== null)).toEqual([
      true,
      false,
      true,
    ]);
    expect(await used()).toBe(limit);
  });

  test('of requests at the same time do not exceed the limit together', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        calls.create({ 'data:asText': `four${index}`.slice(0, 4) }).then(
          () => 4,
          () => 0,
        ),
      ),
    );
    expect(answers.reduce((sum: number, octets) => sum + octets, 0)).toBe(8);
    expect(await used()).toBe(limit - 2);
  });
});
