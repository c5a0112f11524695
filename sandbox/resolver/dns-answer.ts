import type { Answer, Question } from 'dns-packet';
import { lineage, plainName, textStrings, type RecordSet, type Zone, type Zones } from './hosted-zones.ts';

/** Response codes of RFC 1035 §4.1.1. */
export const responseCode = { noError: 0, formatError: 1, serverFailure: 2, noSuchName: 3, notImplemented: 4 } as const;

export type Reply = {
  readonly code: number;
  readonly answers: Answer[];
  /** The zone's SOA when there is nothing to answer: how long that may be remembered (RFC 2308 §3). */
  readonly authorities: Answer[];
};

/** A chain of aliases longer than this is a loop. */
const longestChain = 8;

const data: { readonly [type: string]: (value: string) => unknown } = {
  A: (value) => value,
  AAAA: (value) => value,
  CNAME: plainName,
  NS: plainName,
  TXT: (value) => textStrings(value).map((text) => Buffer.from(text, 'latin1')),
  MX(value) {
    const [preference, exchange] = value.trim().split(/\s+/);
    return { preference: Number(preference), exchange: plainName(exchange ?? '') };
  },
  SRV(value) {
    const [priority, weight, port, target] = value.trim().split(/\s+/);
    return { priority: Number(priority), weight: Number(weight), port: Number(port), target: plainName(target ?? '') };
  },
  SOA(value) {
    const [mname, rname, ...numbers] = value.trim().split(/\s+/);
    const [serial, refresh, retry, expire, minimum] = numbers.map(Number);
    return { mname: plainName(mname ?? ''), rname: plainName(rname ?? ''), serial, refresh, retry, expire, minimum };
  },
};

const answersOf = (set: RecordSet, name: string): Answer[] => {
  const read = data[set.type];
  return read === undefined ? [] : set.values.map((value) => ({ name, type: set.type, ttl: set.ttl, class: 'IN', data: read(value) }) as Answer);
};

/**
 * The record sets that a name has: its own or, when the name does not exist, those of the wildcard below its closest ancestor
 * that does (RFC 4592 §3.3.1). Undefined when there is no such name.
 */
const setsAt = (zone: Zone, name: string): readonly RecordSet[] | undefined => {
  const exists = (candidate: string) => zone.records.some((set) => set.name === candidate || set.name.endsWith(`.${candidate}`));
  if (exists(name)) return zone.records.filter((set) => set.name === name);
  const ancestor = lineage(name).slice(1).find(exists);
  const wild = zone.records.filter((set) => set.name === `*.${ancestor}`);
  return wild.length === 0 ? undefined : wild;
};

const authorityOf = (zone: Zone): Answer[] => zone.records.filter((set) => set.type === 'SOA').flatMap((set) => answersOf(set, zone.name));

type Step = { readonly zone?: Zone; readonly answers: Answer[]; readonly next?: string; readonly exists: boolean };

const step = async (zones: Zones, name: string, type: string): Promise<Step> => {
  const zone = await zones.find(name);
  if (!zone) return { answers: [], exists: false };
  const sets = setsAt(zone, name);
  if (!sets) return { zone, answers: [], exists: false };
  const wanted = sets.filter((set) => set.type === type || (type === 'ANY' && set.type !== 'CNAME'));
  const alias = wanted.find((set) => set.alias !== undefined);
  if (alias) return { zone, answers: [], next: alias.alias!, exists: true };
  if (wanted.length > 0) return { zone, answers: wanted.flatMap((set) => answersOf(set, name)), exists: true };
  const canonical = sets.find((set) => set.type === 'CNAME');
  if (!canonical) return { zone, answers: [], exists: true };
  return { zone, answers: answersOf(canonical, name), next: plainName(canonical.values[0] ?? ''), exists: true };
};

/** Alias records answer under the name that was asked for: a client never sees where they point. */
const renamed = (answers: readonly Answer[], from: string, to: string): Answer[] =>
  answers.map((answer) => (answer.name === from ? { ...answer, name: to } : answer));

/**
 * Answers one question from the hosted zones. For whoever asks here they are all the names there are: a name of no zone does not exist.
 * A CNAME that leads out of them is answered by itself, as a server does that has nothing further to say (RFC 1034 §4.3.2).
 */
export const answer = async (zones: Zones, question: Pick<Question, 'name' | 'type'>): Promise<Reply> => {
  const answers: Answer[] = [];
  let name = plainName(question.name);
  let shown = name;
  for (let length = 0; length < longestChain; length += 1) {
    const found = await step(zones, name, question.type);
    answers.push(...renamed(found.answers, name, shown));
    if (found.next === undefined) {
      const nothing = found.answers.length === 0;
      const code = found.exists || answers.length > 0 ? responseCode.noError : responseCode.noSuchName;
      return { code, answers, authorities: nothing && found.zone ? authorityOf(found.zone) : [] };
    }
    if (found.answers.length > 0) shown = found.next;
    name = found.next;
  }
  return { code: responseCode.serverFailure, answers: [], authorities: [] };
};
