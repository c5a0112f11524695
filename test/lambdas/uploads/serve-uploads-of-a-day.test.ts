import { unadvertisedLimits } from '../../../contract/jmap/core.ts';
import { defaultQuota } from '../../../contract/jmap/quota.ts';
import { emptyHead, encodeHead } from '../../../core/account-log/head.ts';
import { uploadedOctetsIn } from '../../../core/blobs/uploaded-octets.ts';
import { principalsIn } from '../../../core/directory/users/principals.ts';
import { systemClock } from '../../../core/runtime/clock.ts';
import { jmapGate } from '../../../core/runtime/http/jmap-gate.ts';
import { serveUploads } from '../../../lambdas/uploads/serve-uploads.ts';
import { memoryLog } from '../../fakes/memory-log.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { memoryTable } from '../../fakes/memory-table.ts';
import { uploadRequest } from '../../support/blob-requests.ts';
import { blobsDeployment, type BlobsDeployment } from '../../support/blobs-deployment.ts';
import { roundTripMeter } from '../../support/round-trip-meter.ts';

const megabyte = 1_000_000;
const limit = unadvertisedLimits.maxSizeUploadsPerDay;
const content = Buffer.alloc(4 * megabyte);

/** Starts with an account whose quota is smaller than one message. */
const started = async (): Promise<BlobsDeployment> => {
  const deployment = blobsDeployment();
  await deployment.mailTable.write([{ put: encodeHead('acc_alice', { ...emptyHead, quota: { octets: 1000 } }) }]);
  return deployment;
};

const refusal = {
  statusCode: 413,
  body: expect.stringContaining('"type":"urn:ietf:params:jmap:error:limit","limit":"maxSizeUploadsPerDay","status":413,"detail":"At most 80000000 octets'),
};

describe('the uploads to an account in a day', () => {
  test('are refused above the limit until the day ends, and those to another account are not', async () => {
    const { upload, later, now } = await started();
    for (let sent = 0; sent < limit; sent += content.length) expect(await upload('alice', content)).toMatchObject({ statusCode: 200 });
    const refused = await upload('alice', content.subarray(0, 1));
    expect(refused).toMatchObject(refusal);
    expect(await upload('bob', content, { accountId: 'acc_bob' })).toMatchObject({ statusCode: 200 });
    const seconds = Number(refused.headers?.['retry-after']);
    later(seconds - 1);
    expect(await upload('alice', content)).toMatchObject(refusal);
    later(1);
    expect(now().toISOString()).toBe('2026-11-22T00:00:00.000Z');
    expect(await upload('alice', content)).toMatchObject({ statusCode: 200 });
  });

  test('are refused above the limit when many come at once', async () => {
    const { upload } = await started();
    const answers = await Promise.all(Array.from({ length: 30 }, () => upload('alice', content)));
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(limit / content.length);
    expect(answers.filter(({ statusCode }) => statusCode === 413)).toHaveLength(30 - limit / content.length);
  });

  test('may have as many octets as the account’s limit, where that is larger', async () => {
    const { upload, mailTable } = blobsDeployment();
    await mailTable.write([{ put: encodeHead('acc_alice', { ...emptyHead, quota: { octets: limit + megabyte } }) }]);
    for (let sent = 0; sent < limit; sent += content.length) await upload('alice', content);
    expect(await upload('alice', content.subarray(0, megabyte))).toMatchObject({ statusCode: 200 });
    expect(await upload('alice', content.subarray(0, 1))).toMatchObject({ statusCode: 413 });
    expect(limit).toBeLessThan(defaultQuota.octets);
  });

  test('are not counted when they are refused for another reason', async () => {
    const { upload, mailTable, now } = await started();
    for (const who of ['reader', 'bob', 'readOnly', undefined]) expect((await upload(who, content)).statusCode).toBeGreaterThanOrEqual(401);
    expect(await mailTable.query({ pk: 'acc_alice#uploads' })).toEqual([]);
    await upload('alice', content);
    expect(await mailTable.query({ pk: 'acc_alice#uploads' })).toEqual([
      { pk: 'acc_alice#uploads', sk: '2026-11-21', octets: content.length, expiresAt: Math.floor(now().getTime() / 1000) + 4 * 86_400 },
    ]);
  });

  test('are not counted when they cannot be stored', async () => {
    const { upload, mailTable, objects } = await started();
    const put = objects.put.bind(objects);
    Object.assign(objects, { put: () => Promise.reject(Object.assign(new Error('no answer'), { name: 'TimeoutError' })) });
    expect(await upload('alice', content)).toMatchObject({ statusCode: 503 });
    expect(await mailTable.query({ pk: 'acc_alice#uploads' })).toMatchObject([{ octets: 0 }]);
    Object.assign(objects, { put });
    expect(await upload('alice', content)).toMatchObject({ statusCode: 200 });
    expect(await mailTable.query({ pk: 'acc_alice#uploads' })).toMatchObject([{ octets: content.length }]);
  });

  test('cost no further round trip: the use is read with the caller, and counted while the octets are stored', async () => {
    const meter = roundTripMeter();
    const [mail, directory, objects] = [meter.table(memoryTable()), meter.table(memoryTable()), memoryObjects()];
    meter.watch(objects);
    await directory.write([
      { put: { pk: 'member#alice', sk: 'profile', is_active: true, is_admin: false, is_deleted: false, primary_email: 'alice@example.test' } },
      { put: { pk: 'member#alice', sk: 'acc_alice', role: 'ADMIN', account_name: 'Alice', is_owner: true, created_at: '2026-11-21T08:38:00Z' } },
    ]);
    const token = {
      principalId: 'alice',
      isMachine: false,
      clientId: 'c',
      scopes: new Set(['jmapApi/MAIL_READ', 'jmapApi/MAIL_WRITE']),
      authenticatedAt: 0,
      expiresAt: 0,
    };
    const handle = serveUploads({
      gate: jmapGate(async () => token, 'https://jmap.example.test'),
      principals: principalsIn(directory),
      objects,
      uploadedOctets: uploadedOctetsIn(mail, defaultQuota, systemClock),
      clock: systemClock,
      jmapUrl: 'https://jmap.example.test',
      log: memoryLog(),
    });
    const before = meter.roundTrips.count;
    const response = await handle(uploadRequest('acc_alice', Buffer.from('x'), { authorization: 'Bearer t' }));
    expect([response.statusCode, meter.roundTrips.count - before]).toEqual([200, 2]);
  });
});
