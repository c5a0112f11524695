import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { Route53Client } from '@aws-sdk/client-route-53';
import { decode, encode, RECURSION_DESIRED, TRUNCATED_RESPONSE, type DecodedPacket, type RecordType } from 'dns-packet';
import { SandboxError } from '../../../../sandbox/process/sandbox-error.ts';
import { startResolver } from '../../../../sandbox/services/resolver/resolver.ts';
import { publishedRecords } from '../../../support/published-records.ts';
import { freePort, withEmulator } from '../../../support/test-emulator.ts';

const fixture = withEmulator();
let port: number;
let running: Awaited<ReturnType<typeof startResolver>>;
let publish: ReturnType<typeof publishedRecords>;
const resolver = new Resolver({ timeout: 60_000, tries: 1 });

beforeAll(async () => {
  publish = publishedRecords(new Route53Client(fixture.clientConfig));
  port = await freePort();
  running = await startResolver({ port, emulator: fixture.emulator.endpoint });
  resolver.setServers([`127.0.0.1:${port}`]);
  await publish('example.test', [
    ['example.test', 'A', '192.0.2.1', '192.0.2.2'],
    ['example.test', 'MX', '10 inbound-smtp.us-east-1.amazonaws.com', '20 mx2.example.test.'],
    ['example.test', 'TXT', '"v=spf1 include:amazonses.com " "~all"', String.raw`"a \"quoted\" \134 word"`],
    ['example.test', 'CAA', '0 issue "amazon.com"', '128 issuewild ";"'],
    ['_jmap._tcp.example.test', 'SRV', '0 0 443 jmap.example.test.', '10 5 8443 jmap2.example.test'],
    ['www.example.test', 'CNAME', 'web.example.test'],
    ['web.example.test', 'CNAME', 'host.other.test'],
    ['out.example.test', 'CNAME', 'token.dkim.amazonses.com'],
    ['one.example.test', 'CNAME', 'two.example.test'],
    ['two.example.test', 'CNAME', 'one.example.test'],
    ['a.deep.example.test', 'A', '192.0.2.9'],
    ['*.wild.example.test', 'A', '192.0.2.7'],
    ['long.example.test', 'TXT', ...Array.from({ length: 30 }, (_, index) => `"${String(index).padStart(100, 'x')}"`)],
    { Name: 'alias.example.test', Type: 'A', AliasTarget: { HostedZoneId: 'Z2', DNSName: 'example.test', EvaluateTargetHealth: false } },
  ]);
  await publish('other.test', [['host.other.test', 'A', '192.0.2.5']]);
  await publish('sub.example.test', [['sub.example.test', 'A', '192.0.2.8']]);
});
afterAll(() => running.stop());

/** Sends a query over UDP. @returns the response. */
const ask = (name: string, type: RecordType, more: Parameters<typeof encode>[0] = {}): Promise<DecodedPacket> =>
  new Promise((resolve, reject) => {
    const socket = createSocket('udp4');
    socket.once('error', reject);
    socket.once('message', (message) => {
      socket.close();
      resolve(decode(message));
    });
    socket.send(encode({ type: 'query', id: 7, flags: RECURSION_DESIRED, questions: [{ name, type }], ...more }), port, '127.0.0.1');
  });

describe('the resolver answers node:dns with', () => {
  test('addresses, case-insensitively', async () => {
    expect((await resolver.resolve4('EXAMPLE.test')).toSorted()).toEqual(['192.0.2.1', '192.0.2.2']);
    expect(await resolver.resolve4('example.test', { ttl: true })).toContainEqual({ address: '192.0.2.1', ttl: 300 });
  });

  test('CAA records', async () =>
    expect((await resolver.resolveCaa('example.test')).toSorted((a, b) => a.critical - b.critical)).toMatchObject([
      { critical: 0, issue: 'amazon.com' },
      { critical: 128, issuewild: ';' },
    ]));

  test('MX records', async () =>
    expect((await resolver.resolveMx('example.test')).toSorted((a, b) => a.priority - b.priority)).toMatchObject([
      { priority: 10, exchange: 'inbound-smtp.us-east-1.amazonaws.com' },
      { priority: 20, exchange: 'mx2.example.test' },
    ]));

  test('TXT records as strings without escapes', async () =>
    expect(await resolver.resolveTxt('example.test')).toEqual([['v=spf1 include:amazonses.com ', '~all'], [String.raw`a "quoted" \ word`]]));

  test('SRV records', async () =>
    expect((await resolver.resolveSrv('_jmap._tcp.example.test')).toSorted((a, b) => a.priority - b.priority)).toMatchObject([
      { priority: 0, weight: 0, port: 443, name: 'jmap.example.test' },
      { priority: 10, weight: 5, port: 8443, name: 'jmap2.example.test' },
    ]));

  test('NS and SOA records', async () => {
    expect(await resolver.resolveNs('example.test')).toHaveLength(4);
    expect(await resolver.resolveSoa('example.test')).toMatchObject({ nsname: expect.stringMatching(/awsdns/), minttl: 86_400 });
  });

  test('CNAME records', async () => expect(await resolver.resolveCname('www.example.test')).toEqual(['web.example.test']));
  test('the end of a CNAME chain across zones', async () => expect(await resolver.resolve4('www.example.test')).toEqual(['192.0.2.5']));
  test('the target of a Route 53 alias under the alias’s name', async () => {
    expect((await resolver.resolve4('alias.example.test')).toSorted()).toEqual(['192.0.2.1', '192.0.2.2']);
    expect((await ask('alias.example.test', 'A')).answers!.map(({ name }) => name)).toEqual(['alias.example.test', 'alias.example.test']);
  });
  test('wildcard records', async () => expect(await resolver.resolve4('any.thing.wild.example.test')).toEqual(['192.0.2.7']));
  test('records of the zone with the longest name', async () => expect(await resolver.resolve4('sub.example.test')).toEqual(['192.0.2.8']));

  test('a change at once', async () => {
    await publish('other.test', [['changing.other.test', 'TXT', '"before"']]);
    expect(await resolver.resolveTxt('changing.other.test')).toEqual([['before']]);
    await publish('other.test', [['changing.other.test', 'TXT', '"after"']]);
    expect(await resolver.resolveTxt('changing.other.test')).toEqual([['after']]);
  });

  test('a long answer over TCP', async () => expect(await resolver.resolveTxt('long.example.test')).toHaveLength(30));
});

describe('a name without records', () => {
  test.each(['nothing.example.test', 'nobody.test', 'x.www.example.test', 'nothing.sub.example.test'])('%s does not exist', async (name) => {
    await expect(resolver.resolve4(name)).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test.each([
    ['a name without records of this type', 'example.test'],
    ['a name that only has names below it', 'deep.example.test'],
    ['a wildcard’s name', 'x.wild.example.test'],
  ])('%s exists', async (_, name) => {
    await expect(resolver.resolve6(name)).rejects.toMatchObject({ code: 'ENODATA' });
  });

  test('is answered with the zone’s SOA', async () => {
    for (const [name, code] of [
      ['nothing.example.test', 'NXDOMAIN'],
      ['deep.example.test', 'NOERROR'],
    ] as const) {
      expect(await ask(name, 'A')).toMatchObject({ rcode: code, flag_aa: true, answers: [], authorities: [{ type: 'SOA', name: 'example.test' }] });
    }
  });
});

describe('the DNS protocol', () => {
  test('a CNAME chain that leaves the zones ends with its last name', async () => {
    expect(await ask('out.example.test', 'A')).toMatchObject({ rcode: 'NOERROR', answers: [{ type: 'CNAME', data: 'token.dkim.amazonses.com' }] });
  });

  test('a chain that bites its tail is a server failure', async () =>
    expect(await ask('one.example.test', 'A')).toMatchObject({ rcode: 'SERVFAIL', answers: [] }));

  test('a long answer is truncated to the client’s size', async () => {
    const plain = await ask('long.example.test', 'TXT');
    expect([plain.answers, plain.flags! & TRUNCATED_RESPONSE]).toEqual([[], TRUNCATED_RESPONSE]);
    const more = [
      { type: 'OPT' as const, name: '.' as const, udpPayloadSize: 65_000, extendedRcode: 0, ednsVersion: 0, flags: 0, flag_do: false, options: [] },
    ];
    expect((await ask('long.example.test', 'TXT', { additionals: more })).flag_tc).toBe(true);
    expect((await ask('example.test', 'TXT', { additionals: more })).additionals).toMatchObject([{ type: 'OPT', udpPayloadSize: 1232 }]);
  });

  test('a query of another class or without a question is answered with an error', async () => {
    expect(await ask('example.test', 'TXT', { questions: [{ name: 'version.bind', type: 'TXT', class: 'CH' }] })).toMatchObject({ rcode: 'NOTIMP' });
    expect(await ask('example.test', 'A', { questions: [] })).toMatchObject({ rcode: 'FORMERR' });
  });

  test('an invalid message gets no reply, and the next query is answered', async () => {
    const socket = createSocket('udp4');
    await new Promise((resolve) => {
      socket.send(Buffer.from('rubbish'), port, '127.0.0.1', resolve);
    });
    socket.close();
    expect((await ask('example.test', 'A')).answers).toHaveLength(2);
  });
});

test('a taken port is named in the error', async () => {
  await expect(startResolver({ port, emulator: fixture.emulator.endpoint })).rejects.toThrow(new SandboxError(`Port ${port} is taken by another program.`));
});

test('every query is a server failure when the emulator is down', async () => {
  const lonely = await freePort();
  const alone = await startResolver({ port: lonely, emulator: `http://127.0.0.1:${await freePort()}` });
  const other = new Resolver({ timeout: 60_000, tries: 1 });
  other.setServers([`127.0.0.1:${lonely}`]);
  await expect(other.resolve4('example.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
  await alone.stop();
});
