import type { ProblemName } from '../../contract/admin/problems.ts';
import { reputationLimits } from '../../contract/admin/status.ts';
import { problemChecks, type IsOpen, type Subjects } from '../../contract/deployment/checks.ts';
import { isDeadLetterQueue } from '../../contract/deployment/monitored-resources.ts';
import { waitingMail } from '../../contract/deployment/waiting-mail.ts';
import { registrationLimits } from '../../contract/oauth/registration.ts';
import { isSnapshotDue, snapshotBounds } from '../../core/account-index/snapshot/snapshot-name.ts';
import type { Head } from '../../core/account-log/head.ts';
import { quotaOfHead } from '../../core/mail/quota/account-quota.ts';
import type { Facts, SourceName, Sources } from './sources.ts';

/** The rule by which problems of a kind begin and end. */
type ProblemRule<Needed extends SourceName = SourceName> = {
  /** The sources that decide. While one of them is unknown, problems of the kind neither begin nor end. */
  readonly needs: readonly Needed[];
  /** Runs of the watch that must find the problem before it is open. Default: 1. */
  readonly runs?: 2;
  /** Returns the subjects that have the problem now; undefined if a part that decides is unknown. */
  find(values: Pick<Sources, Needed>, isOpen: IsOpen, facts: Facts): Subjects | undefined;
};

const rule = <Needed extends SourceName>(definition: ProblemRule<Needed>): ProblemRule => definition;

/** The deployment as the subject, if the condition holds. */
const deploymentIf = (condition: boolean): Subjects => (condition ? [undefined] : []);

/** Whether a value has reached `begin`, or not yet fallen below `end`. */
const exceeds = (value: number, { begin, end }: { readonly begin: number; readonly end: number }, isOpen: boolean): boolean => value >= (isOpen ? end : begin);

const keysWhere = <Value>(values: ReadonlyMap<string, Value>, holds: (value: Value, key: string) => boolean): string[] =>
  [...values].filter(([key, value]) => holds(value, key)).map(([key]) => key);

const seconds = { queue: { begin: 900, end: 600 } };
const streamMilliseconds = { begin: 300_000, end: 60_000 };
const apiErrors = { begin: 5, end: 1 };
const accountUse = { begin: 0.95, end: 0.9 };
const appClients = { begin: registrationLimits.appClientQuota * registrationLimits.appClientAlarm, end: 750 };
const certificateDays = 20;
const day = 86_400_000;

const rateBounds = (rate: keyof typeof reputationLimits) => ({ begin: reputationLimits[rate].review, end: reputationLimits[rate].review * 0.9 });

/** The larger part of its quota that an account uses, from 0 to 1. */
const useOf = (head: Head, { quotaDefaults }: Facts): number =>
  Math.max(...Object.values(quotaOfHead(head, quotaDefaults)).map(({ used, hardLimit }) => used / hardLimit));

const bounds = { logBytes: 10 * snapshotBounds.logBytes, commits: 10 * snapshotBounds.commits };

/** The rule of each kind of problem. A source that fails is a problem itself, without a rule. */
export const problemRules: { readonly [Name in Exclude<ProblemName, 'SOURCE_UNAVAILABLE'>]: ProblemRule } = {
  ...problemChecks,
  MX_MISSING: { ...problemChecks.MX_MISSING, runs: 2 },
  DEAD_LETTERS: rule({
    needs: ['queues'],
    find: ({ queues }) => keysWhere(queues, ({ visible, inFlight }, place) => isDeadLetterQueue(place) && visible + inFlight > 0),
  }),
  QUEUE_DELAYED: rule({
    needs: ['queues'],
    find: ({ queues }, isOpen) => keysWhere(queues, ({ oldestSeconds }, place) => exceeds(oldestSeconds, seconds.queue, isOpen(place))),
  }),
  STREAM_DELAYED: rule({
    needs: ['streams'],
    find: ({ streams }, isOpen) => keysWhere(streams, (age, name) => exceeds(age, streamMilliseconds, isOpen(name))),
  }),
  LAMBDA_ERRORS: rule({ needs: ['errors of Lambdas'], find: (values) => [...values['errors of Lambdas'].keys()] }),
  LAMBDA_THROTTLES: rule({ needs: ['throttles'], find: ({ throttles }) => deploymentIf(throttles > 0) }),
  API_ERRORS: rule({ needs: ['APIs'], find: ({ APIs }, isOpen) => keysWhere(APIs, (errors, name) => exceeds(errors, apiErrors, isOpen(name))) }),
  BOUNCE_RATE: rule({
    needs: ['reputation'],
    find: ({ reputation }, isOpen) => deploymentIf(exceeds(reputation.bounce_rate ?? 0, rateBounds('bounce_rate'), isOpen())),
  }),
  COMPLAINT_RATE: rule({
    needs: ['reputation'],
    find: ({ reputation }, isOpen) => deploymentIf(exceeds(reputation.complaint_rate ?? 0, rateBounds('complaint_rate'), isOpen())),
  }),
  CERTIFICATE_EXPIRING: rule({
    needs: ['certificates'],
    find: ({ certificates }, _isOpen, { now }) => keysWhere(certificates, (expiry) => expiry.getTime() - now.getTime() < certificateDays * day),
  }),
  ACCOUNT_NEARLY_FULL: rule({
    needs: ['accounts'],
    find: ({ accounts }, isOpen, facts) => keysWhere(accounts, ({ head }, id) => exceeds(useOf(head, facts), accountUse, isOpen(id))),
  }),
  MAIL_WAITING: rule({
    needs: ['queues', 'accounts'],
    // The queue also delays bounces that SES did not accept yet. They do not depend on full accounts.
    find: ({ queues, accounts }, _isOpen, facts) =>
      deploymentIf((queues.get(waitingMail.queue)?.delayed ?? 0) > 0 && [...accounts.values()].some(({ head }) => useOf(head, facts) >= accountUse.begin)),
  }),
  SNAPSHOT_OLD: rule({ needs: ['accounts'], find: ({ accounts }) => keysWhere(accounts, ({ head }) => isSnapshotDue(head, bounds)) }),
  MESSAGE_UNPARSED: rule({ needs: ['unparsed messages'], find: (values) => values['unparsed messages'] }),
  GROUP_MEMBER_PAUSED: rule({ needs: ['members outside'], find: (values) => values['members outside'] }),
  FORWARDING_PAUSED: rule({ needs: ['forwarding outside'], find: (values) => values['forwarding outside'] }),
  REMOVAL_FAILED: rule({ needs: ['removals'], runs: 2, find: ({ removals }) => removals }),
  REGISTRATIONS_USED_UP: rule({ needs: ['registrations'], find: ({ registrations }) => deploymentIf(registrations >= registrationLimits.newInWindow) }),
  APP_CLIENTS_NEAR_QUOTA: rule({ needs: ['app clients'], find: (values, isOpen) => deploymentIf(exceeds(values['app clients'], appClients, isOpen())) }),
};
