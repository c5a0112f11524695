import { unadvertisedLimits } from '../../../../contract/jmap/core.ts';
import { jmapDeployment, type Call, type JmapDeployment, type Json } from '../jmap-deployment.ts';

/** Octets of each large message, the maximum of SES. */
const messageSize = 40_000_000;
const messageCount = 8;

/** A deployment with large messages that have the same octets. The bucket counts the octets of reads. */
const deploymentWith = async (raw: Buffer, count: number) => {
  const deployment = await jmapDeployment();
  let [octets, reads, octetsInFlight, mostInFlight] = [0, 0, 0, 0];
  deployment.objects.put = async () => undefined;
  deployment.jmap.dependencies.objects.get = async (_key, { start, end } = { start: 0, end: raw.length }) => {
    const bytes = Buffer.from(raw.subarray(start, end));
    octets += bytes.length;
    reads += 1;
    mostInFlight = Math.max(mostInFlight, (octetsInFlight += bytes.length));
    await new Promise((done) => {
      setImmediate(done);
    });
    octetsInFlight -= bytes.length;
    return { bytes, size: raw.length };
  };
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push(await deployment.deliver({ raw }));
  return { deployment, ids, read: () => ({ octets, reads, mostInFlight }) };
};

const getOf = (ids: readonly string[], args: Json): Call => ['Email/get', { accountId: 'acc_alice', ids, ...args }, 'get'];
const argumentsOf = async (deployment: JmapDeployment, ...calls: Call[]): Promise<Json[]> => (await deployment.perform(calls)).map(([, args]) => args);

describe('Email/get of messages of 40 MB with 380 parts of text', () => {
  const part = `--b\r\nContent-Type: text/plain\r\n\r\n${'Hello world.\r\n'.repeat(7500)}`;
  const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(380)}--b--`);
  const bodyValues = { properties: ['bodyValues'], fetchAllBodyValues: true };

  test.each([1, messageCount])('is refused before anything is read when the values of %i are larger than a response', async (count) => {
    expect(raw.length).toBeGreaterThan(0.9 * messageSize);
    const { deployment, ids, read } = await deploymentWith(raw, count);
    expect(await argumentsOf(deployment, getOf(ids, bodyValues))).toEqual([expect.objectContaining({ type: 'requestTooLarge' })]);
    expect(read()).toMatchObject({ octets: 0 });
  });

  test('with maxBodyValueBytes reads little more than it returns', async () => {
    const { deployment, ids, read } = await deploymentWith(raw, 4);
    const [{ list } = {}] = await argumentsOf(deployment, getOf(ids, { ...bodyValues, maxBodyValueBytes: 1000 }));
    const values = (list as Json[]).flatMap((email) => Object.values(email['bodyValues'] as Json));
    expect(values).toHaveLength(4 * 380);
    expect(values[0]).toMatchObject({ isTruncated: true, value: expect.stringMatching(/^(?:Hello world\.\n){50}/) });
    expect(read().octets).toBeLessThan(4 * 380 * 3100);
  });
});

describe('Email/get of messages with headers of 36 MB', () => {
  const raw = Buffer.from(`Subject: Hi\r\n${`X-Filler: ${'x'.repeat(980)}\r\n`.repeat(36_000)}\r\nHello\r\n`);

  test('reads no more of a header block than is parsed', async () => {
    const { deployment, ids, read } = await deploymentWith(raw, messageCount);
    const [{ list } = {}] = await argumentsOf(deployment, getOf(ids, { properties: ['header:Subject:asText'] }));
    expect((list as Json[]).map((email) => email['header:Subject:asText'])).toEqual(ids.map(() => 'Hi'));
    expect(read().octets).toBeLessThan(messageCount * 1.1 * 1024 * 1024);
  });

  test('ends early when all fields are larger than a response', async () => {
    const { deployment, ids, read } = await deploymentWith(raw, 40);
    expect(await argumentsOf(deployment, getOf(ids, { properties: ['headers'] }))).toEqual([expect.objectContaining({ type: 'requestTooLarge' })]);
    expect(read().octets).toBeLessThan(16_000_000);
  });
});

describe('Email/get of texts of 1.9 MB', () => {
  const raw = Buffer.from(`Content-Type: text/plain\r\n\r\n${'Hello. '.repeat(270_000)}`);
  const bodyValues = { properties: ['bodyValues'], fetchTextBodyValues: true };

  test('reads a few messages at a time, and ends once they do not fit into the response', async () => {
    const { deployment, ids, read } = await deploymentWith(raw, 30);
    expect(await argumentsOf(deployment, getOf(ids, bodyValues))).toEqual([expect.objectContaining({ type: 'requestTooLarge' })]);
    expect(read().octets).toBeLessThan(16_000_000);
    expect(read().mostInFlight).toBeLessThan(10_000_000);
  });

  test('reads at most maxRawOctetsInRequest in all calls of a request', async () => {
    const { deployment, ids, read } = await deploymentWith(raw, 3);
    const calls = Array.from({ length: 30 }, () => getOf(ids, bodyValues));
    const answers = await argumentsOf(deployment, ...calls);
    expect(answers.filter(({ type }) => type === undefined)).toHaveLength(1);
    expect(new Set(answers.slice(1).map(({ type }) => type as string))).toEqual(new Set(['requestTooLarge']));
    expect(read().octets).toBeLessThan(unadvertisedLimits.maxRawOctetsInRequest);
  });

  test('is unlimited in the number of small messages', async () => {
    const { deployment, ids } = await deploymentWith(Buffer.from('Subject: Hi\r\n\r\nHello'), 500);
    const [answer] = await argumentsOf(deployment, getOf(ids, { properties: ['header:Subject', 'bodyValues'], fetchAllBodyValues: true }));
    expect(answer!['list']).toHaveLength(500);
  });
});
