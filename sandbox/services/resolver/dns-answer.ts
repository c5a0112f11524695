import type { Answer, Question } from 'dns-packet';
import { nameAndAncestors, normalizeName, textStrings, type RecordSet, type HostedZone, type HostedZones } from './hosted-zones.ts';

/** Response codes of RFC 1035 §4.1.1. */
export const responseCode = { noError: 0, formatError: 1, serverFailure: 2, noSuchName: 3, notImplemented: 4 } as const;

export type DnsReply = {
  readonly code: number;
  readonly answers: Answer[];
  /** In a reply without answers: the zone's SOA record, for negative caching (RFC 2308 §3). */
  readonly authorities: Answer[];
};

/** Maximum aliases in a chain. A longer chain is a loop. */
const longestChain = 8;

const recordData: { readonly [type: string]: (value: string) => unknown } = {
  A: (value) => value,
  AAAA: (value) => value,
  CNAME: normalizeName,
  NS: normalizeName,
  TXT: (value) => textStrings(value).map((text) => Buffer.from(text, 'latin1')),
  MX(value) {
    const [preference, exchange] = value.trim().split(/\s+/);
    return { preference: Number(preference), exchange: normalizeName(exchange ?? '') };
  },
  SRV(value) {
    const [priority, weight, port, target] = value.trim().split(/\s+/);
    return { priority: Number(priority), weight: Number(weight), port: Number(port), target: normalizeName(target ?? '') };
  },
  CAA(value) {
    const [, flags, tag, authority] = /^(\d+) (\w+) "(.*)"$/.exec(value.trim()) ?? [];
    return { flags: Number(flags), tag, value: authority };
  },
  SOA(value) {
    const [mname, rname, ...numbers] = value.trim().split(/\s+/);
    const [serial, refresh, retry, expire, minimum] = numbers.map(Number);
    return { mname: normalizeName(mname ?? ''), rname: normalizeName(rname ?? ''), serial, refresh, retry, expire, minimum };
  },
};

const answersOf = (set: RecordSet, name: string): Answer[] => {
  const read = recordData[set.type];
  return (read === undefined ? [] : set.values).map((value) => {
    const answer = { name, type: set.type, ttl: set.ttl, class: 'IN', data: read?.(value) };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- recordData reads the data of each type
    return answer as Answer;
  });
};

/**
 * The record sets of a name. If the name does not exist, those of the wildcard below its closest existing ancestor (RFC
 * 4592 §3.3.1). Undefined when neither exists.
 */
const setsAt = (zone: HostedZone, name: string): readonly RecordSet[] | undefined => {
  const exists = (candidate: string) => zone.records.some((set) => set.name === candidate || set.name.endsWith(`.${candidate}`));
  if (exists(name)) return zone.records.filter((set) => set.name === name);
  const ancestor = nameAndAncestors(name).slice(1).find(exists);
  const wild = zone.records.filter((set) => set.name === `*.${ancestor}`);
  return wild.length === 0 ? undefined : wild;
};

const authorityOf = (zone: HostedZone): Answer[] => zone.records.filter((set) => set.type === 'SOA').flatMap((set) => answersOf(set, zone.name));

type Resolution = { readonly zone?: HostedZone; readonly answers: Answer[]; readonly next?: string; readonly exists: boolean };

const resolveOnce = async (zones: HostedZones, name: string, type: string): Promise<Resolution> => {
  const zone = await zones.find(name);
  if (!zone) return { answers: [], exists: false };
  const sets = setsAt(zone, name);
  if (!sets) return { zone, answers: [], exists: false };
  const matching = sets.filter((set) => set.type === type || (type === 'ANY' && set.type !== 'CNAME'));
  const alias = matching.find((set) => set.alias !== undefined);
  if (alias) return { zone, answers: [], next: alias.alias!, exists: true };
  if (matching.length > 0) return { zone, answers: matching.flatMap((set) => answersOf(set, name)), exists: true };
  const canonical = sets.find((set) => set.type === 'CNAME');
  if (!canonical) return { zone, answers: [], exists: true };
  return { zone, answers: answersOf(canonical, name), next: normalizeName(canonical.values[0] ?? ''), exists: true };
};

/** Answers of an alias record have the queried name; clients do not see the alias's target. */
const renamed = (answers: readonly Answer[], from: string, to: string): Answer[] =>
  answers.map((record) => (record.name === from ? { ...record, name: to } : record));

/**
 * Answers one question from the hosted zones. A name outside all zones does not exist.
 * A CNAME to a name outside the zones is answered without its target's records (RFC 1034 §4.3.2).
 */
export const answerQuestion = async (zones: HostedZones, question: Pick<Question, 'name' | 'type'>): Promise<DnsReply> => {
  const answers: Answer[] = [];
  let name = normalizeName(question.name);
  let shownName = name;
  for (let length = 0; length < longestChain; length += 1) {
    const found = await resolveOnce(zones, name, question.type);
    answers.push(...renamed(found.answers, name, shownName));
    if (found.next === undefined) {
      const nothing = found.answers.length === 0;
      const code = found.exists || answers.length > 0 ? responseCode.noError : responseCode.noSuchName;
      return { code, answers, authorities: nothing && found.zone ? authorityOf(found.zone) : [] };
    }
    if (found.answers.length > 0) shownName = found.next;
    name = found.next;
  }
  return { code: responseCode.serverFailure, answers: [], authorities: [] };
};
