import { randomBytes } from 'node:crypto';
import { accountId, type Call } from '../../../bench/fixtures/alice.ts';
import { emailRow } from '../../../bench/fixtures/generated-mailbox.ts';
import { headKey } from '../../../core/account-log/keys.ts';
import { emailsOf } from '../../../core/mail/email/email-type.ts';
import { encodeManifest, manifestName } from '../../../core/search/segment-format/search-manifest.ts';
import { segmentName } from '../../../core/search/segment-format/segment-name.ts';
import { SegmentBuilder } from '../../../core/search/segments/segment-builder.ts';
import { objectKeys } from '../../../core/storage/object-keys.ts';
import type { Objects } from '../../../core/storage/objects.ts';
import type { Table } from '../../../core/storage/table.ts';
import { memoryObjects } from '../../fakes/memory-objects.ts';
import { TableMeter } from '../counts/table-meter.ts';
import { generatedDocument, wordOfRank } from '../fixtures/generated-texts.ts';
import { jmapLambda, tablesWithMessages } from '../fixtures/lambdas-in-memory.ts';
import { cpuOf, slowestQueryCpuOf } from './cpu-and-memory.ts';

type SearchFigures = {
  readonly messages: number;
  /** Octets of the index for each message. */
  readonly indexOctets: number;
  readonly wordOctets: number;
  readonly headerOctets: number;
  /** Distinct words of a message. */
  readonly distinctWords: number;
  /** CPU milliseconds of a warm Email/query with two words and a phrase, of one without a phrase, and the slowest other query. */
  readonly cpu: number;
  readonly wordsCpu: number;
  readonly query: { readonly cpu: number; readonly query: string };
  readonly found: number;
  /** CPU milliseconds of a query sorted by subject: the first one after a delivery, and the next ones. */
  readonly firstSortCpu: number;
  readonly sortCpu: number;
  /** Trips to S3 in series: the search of a warm Lambda, and the first one. */
  readonly warmTrips: number;
  readonly coldTrips: number;
  /** CPU milliseconds that the indexer takes for a message, without parsing it. */
  readonly indexingCpu: number;
};

/** Writes the segments of an account as the indexer does. @returns the octets of all segments. */
const writeSegments = async (table: Table, objects: Pick<Objects, 'put'>, ids: readonly string[]) => {
  const names: string[] = [];
  const octets = { index: 0, words: 0, headers: 0, distinct: 0 };
  let builder = new SegmentBuilder(accountId);
  const finish = async () => {
    const { bytes, ...lengths } = builder.finish();
    const name = segmentName({ ...lengths, octets: bytes.length, nonce: randomBytes(8).toString('hex') });
    await objects.put(objectKeys.search(accountId, name), bytes);
    const header = JSON.parse(bytes.toString('utf8', 24, 24 + bytes.readUInt32LE(8))) as { words: [number][] | { octets: number }[] };
    const words = header.words.reduce((sum, section) => sum + ('octets' in section ? section.octets : section[0]), 0);
    names.push(name);
    octets.index += lengths.indexOctets;
    octets.words += words;
    octets.headers += bytes.length - lengths.indexOctets - words;
    builder = new SegmentBuilder(accountId);
  };
  for (const [number, id] of ids.entries()) {
    const document = generatedDocument(number, id);
    octets.distinct += new Set(document.fields[5]![0]).size;
    builder.add(document);
    if (builder.isFull) await finish();
  }
  await finish();
  const search = manifestName({ sequence: 1, logBytes: 0, remaining: 0, nonce: 'bench' });
  await objects.put(objectKeys.search(accountId, search), encodeManifest({ accountId, segments: names, purgedAt: 0, isPurgePending: false }));
  await table.write([{ update: headKey(accountId), set: { search } }]);
  return octets;
};

/** Measures searches of an account with this many messages of 340 words. */
export const searchFigures = async (messages: number): Promise<SearchFigures> => {
  const tables = await tablesWithMessages(messages);
  const objects = memoryObjects();
  const ids = Array.from({ length: messages }, (_, number) => emailRow(number, {}).id);
  const octets = await writeSegments(tables.mail, objects, ids);
  const meter = new TableMeter();
  const jmap = jmapLambda(tables.directory, tables.mail, undefined, { ...objects, ...meter.watchReads(objects) });
  // Two words that are in a sixth and a fifteenth of the messages, and a phrase of two words that nearly all have: about
  // one message of a hundred has all four, and is read to verify the phrase.
  const [one, other] = [wordOfRank(150), wordOfRank(400)];
  const phrase = [wordOfRank(12), wordOfRank(7)].join(' ');
  const search = (text: string): Call => ['Email/query', { accountId, limit: 50, calculateTotal: true, filter: { text } }, 'a'];
  const whole = search(`${one} ${other} "${phrase}"`);
  await jmap.sendAndParse(['Email/query', { accountId, limit: 1 }, 'a']);
  const cold = await meter.measure(() => jmap.sendAndParse(whole));
  const warm = await meter.measure(() => jmap.sendAndParse(whole));
  const [[, { total }]] = (await jmap.sendAndParse(whole)) as unknown as [[string, { total: number }]];
  const plain = jmapLambda(tables.directory, tables.mail, undefined, objects);
  await plain.sendAndParse(whole);
  const runs = { warmUp: 30, batches: 9, runs: 5 };
  const cpu = await cpuOf(() => plain.send(whole), runs);
  const wordsCpu = await cpuOf(() => plain.send(search(`${one} ${other}`)), runs);
  const bySubject: Call = ['Email/query', { accountId, limit: 50, sort: [{ property: 'subject' }] }, 'a'];
  const once = { warmUp: 0, batches: 1, runs: 1 };
  const firstSortCpu = await cpuOf(() => plain.send(bySubject), once);
  const sortCpu = await cpuOf(() => plain.send(bySubject), runs);
  const documents = ids.slice(0, 1000).map((id, number) => generatedDocument(number, id));
  const indexingCpu = await cpuOf(
    async () => {
      const builder = new SegmentBuilder(accountId);
      for (const document of documents) builder.add(document);
      builder.finish();
    },
    { warmUp: 1, batches: 2, runs: 1 },
  );
  if (emailsOf((await plain.store.open(accountId))!).size !== messages) throw new Error('the account is not whole');
  return {
    messages,
    cpu,
    wordsCpu,
    firstSortCpu,
    sortCpu,
    query: await slowestQueryCpuOf(plain),
    found: total,
    indexOctets: octets.index / messages,
    wordOctets: octets.words / messages,
    headerOctets: octets.headers / messages,
    distinctWords: octets.distinct / messages,
    warmTrips: warm.trips,
    coldTrips: cold.trips,
    indexingCpu: indexingCpu / documents.length,
  };
};
