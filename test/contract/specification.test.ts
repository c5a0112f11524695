import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { idempotencyKeyDays } from '../../contract/admin/change-requests.ts';
import { services } from '../../contract/admin/index.ts';
import { defaultSendLimits } from '../../contract/deployment/sending.ts';
import { addressBookLimits } from '../../contract/jmap/address-book.ts';
import { contactCardLimits } from '../../contract/jmap/contact-card.ts';
import {
  blobLimits,
  capability,
  coreLimits,
  emailLimits,
  unadvertisedLimits,
  mailLimits,
  searchLimits,
  webSocketSubscriptionLimits,
} from '../../contract/jmap/core.ts';
import { submissionLimits } from '../../contract/jmap/email-submission.ts';
import { identityLimits } from '../../contract/jmap/identity.ts';
import { pushSubscriptionLimits } from '../../contract/jmap/push-subscription.ts';
import { eventSourceWait } from '../../contract/jmap/push.ts';
import { webSocketLimits } from '../../contract/jmap/web-socket.ts';
import { registrationLimits } from '../../contract/oauth/registration.ts';
import { errorCodes } from '../../contract/rpc/error-codes.ts';
import { maxAnswerSize, maxBodySize } from '../../contract/rpc/rpc.ts';
import { changeRequestStatuses, transitionOf, openStatuses, type ChangeRequestOccurrence } from '../../core/directory/change-requests/change-request-states.ts';
import { storedTypes } from '../../core/mail/mail-store/stored-types.ts';
import { methods } from '../../lambdas/jmap/methods.ts';
import type { Method } from '../../lambdas/jmap/request/method.ts';
import { filesBelow, textOf } from '../architecture/sources.ts';

const specification = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'specification.md'), 'utf8');

const section = (heading: string): string => specification.split(`\n### ${heading}\n`)[1]!.split(/\n##/)[0]!;

/** Rows of all tables below a heading, without the tables' heads, cell by cell. */
const rows = (heading: string): string[][] => {
  const lines = section(heading).split('\n');
  return lines
    .filter((line, index) => line.startsWith('|') && !/^\|[-| ]+\|$/.test(line) && !/^\|[-| ]+\|$/.test(lines[index + 1] ?? ''))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
};

const occurrences = Object.keys({
  submitted: true,
  reviewing: true,
  'case-opened': true,
  'needs-information': true,
  'information-given': true,
  approved: true,
  fulfilled: true,
  rejected: true,
  failed: true,
  canceled: true,
  'reached-provider': true,
} satisfies Record<ChangeRequestOccurrence, true>) as ChangeRequestOccurrence[];

const numberOf = (cell: string): number => Number(/^[\d,]+/.exec(cell)?.[0].replaceAll(',', ''));

class PermissionNeeded extends Error {}

/** The permission that a method requires before it reads its arguments; undefined for none. */
const permissionOf = async (method: Method): Promise<string | undefined> => {
  const requirePermission = (permission: string): void => {
    throw new PermissionNeeded(permission);
  };
  const error: unknown = await Promise.resolve()
    .then(() => method.run({}, { requirePermission } as never))
    .catch((thrown: unknown) => thrown);
  return error instanceof PermissionNeeded ? error.message : undefined;
};

describe('docs/specification.md', () => {
  test('lists every error code with its status', () => {
    expect(Object.fromEntries(rows('Errors').map(([code, status]) => [code!.slice(1, -1), Number(status)]))).toEqual(errorCodes);
  });

  test('lists every service by its base path', () => {
    const stated = [...section('URLs and routes').matchAll(/`\/([a-z-]+)`/g)].map(([, name]) => name);
    expect(new Set(stated)).toEqual(new Set(Object.values(services).map(({ name }) => name)));
  });

  test('states the sizes of the admin API as the contract does', () => {
    expect(
      rows('Admin limits')
        .map(([, value]) => numberOf(value!))
        .slice(0, 2),
    ).toEqual([maxBodySize, maxAnswerSize]);
  });

  test('states the enforced value of each JMAP limit', () => {
    const { collationAlgorithms: _names, ...core } = coreLimits;
    const { maxSockets, maxSocketFrames } = webSocketLimits;
    const enforced = {
      ...core,
      ...mailLimits,
      ...blobLimits,
      ...emailLimits,
      ...unadvertisedLimits,
      ...searchLimits,
      ...identityLimits,
      ...webSocketSubscriptionLimits,
      maxSockets,
      maxSocketFrames,
    };
    const stated = rows('JMAP limits').flatMap(
      ([name, value]) =>
        /^`(\w+)`/
          .exec(name!)
          ?.slice(1)
          .map((limit) => [limit, numberOf(value!)] as const) ?? [],
    );
    expect(Object.fromEntries(stated)).toEqual(enforced);
  });

  test('names limits of the contract for what people make', () => {
    const limits: Readonly<Record<string, unknown>> = {
      ...unadvertisedLimits,
      ...identityLimits,
      ...addressBookLimits,
      ...contactCardLimits,
      ...defaultSendLimits,
      ...submissionLimits,
      ...pushSubscriptionLimits,
      ...webSocketLimits,
      ...eventSourceWait,
      ...registrationLimits,
      idempotencyKeyDays,
    };
    const named = rows('What people make').flatMap((cells) => [...cells.join(' ').matchAll(/`(\w+)`/g)].map(([, name]) => name!));
    expect(named.filter((name) => !Number.isFinite(limits[name]))).toEqual([]);
    expect(named.length).toBeGreaterThan(15);
  });

  test('says that a JMAP limit is not enforced exactly when no code reads the limit', () => {
    const { collationAlgorithms: _names, ...core } = coreLimits;
    const code = ['core', 'lambdas']
      .flatMap((folder) => filesBelow(folder))
      .map(textOf)
      .join('\n');
    const limits = Object.keys({ ...core, ...mailLimits, ...blobLimits, ...emailLimits, ...unadvertisedLimits, ...searchLimits, ...identityLimits });
    const stated = rows('JMAP limits').flatMap(([name, , above]) => (above!.startsWith('not enforced') ? [name!.slice(1, -1)] : []));
    expect(limits.filter((name) => !new RegExp(`\\b${name}\\b`).test(code)).sort()).toEqual(stated.sort());
  });

  test('names every capability of the session', () => {
    const [, names] = /^- `capabilities` has ([^.]+?), the service's own\s+`[^`]+`, and (?:webpush-vapid) where/m.exec(section('Session'))!;
    const known = Object.values(capability)
      .map((uri) => uri.split(':').at(-1)!)
      .filter((name) => name !== 'webpush-vapid');
    expect(new Set(names!.split(/,\s+/))).toEqual(new Set(known));
  });

  test('states the scope that each method needs', async () => {
    const stated = new Map(rows('Scopes').flatMap(([scope, names]) => names!.split(/[;,]| and /).map((name) => [name.trim(), scope])));
    const needed = (await Promise.all([...methods].map(async ([name, method]) => [name, await permissionOf(method)] as const))).filter(
      ([, permission]) => permission !== undefined,
    );
    expect(needed.map(([name]) => [name, stated.get(name) ?? stated.get(name.split('/')[1]!)])).toEqual(
      needed.map(([name, permission]) => [name, `\`jmapApi/${permission}\``]),
    );
    expect(needed.length).toBeGreaterThan(methods.size / 2);
  });

  test('lists every JMAP method', () => {
    const stated = rows('JMAP methods').flatMap(([type, names]) =>
      names!
        .replaceAll(/\([^)]*\)/g, '')
        .split(',')
        .map((name) => `${type}/${name.trim()}`),
    );
    expect(stated.sort()).toEqual([...methods.keys()].sort());
  });

  test('lists the status transitions of a change request that the state machine has', () => {
    const ends = changeRequestStatuses.filter((status) => !openStatuses.includes(status));
    const stated = rows('Change requests')
      .flatMap(([statuses, moves]) => {
        const named = [...moves!.matchAll(/\b[A-Z][A-Z_]{3,}\b/g)].map(([name]) => name);
        const to = [...named, ...(moves!.includes('an end') ? ends : [])].sort();
        return statuses!.split(',').map((status) => [status.trim().split(' ')[0]!, to] as const);
      })
      .filter(([status]) => changeRequestStatuses.some((known) => known === status));
    const made = changeRequestStatuses.map(
      (status) => [status, [...new Set(occurrences.flatMap((occurrence) => transitionOf(status, occurrence)?.to ?? []))].sort()] as const,
    );
    expect(Object.fromEntries(stated)).toEqual({ ...Object.fromEntries(made), CANCELED: [] });
  });

  test('names the types whose changes are pushed: all stored types', () => {
    const [, names] = /^- The pushed types are ([^.]+?),\s+in\s+every\s+kind\s+of\s+push\.$/m.exec(specification)!;
    expect(new Set(names!.split(/,\s+|\s+and\s+/))).toEqual(new Set(storedTypes.keys()));
  });
});
