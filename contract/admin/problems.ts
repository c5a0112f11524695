import * as z from 'zod';
import { registrationLimits } from '../oauth/registration.ts';
import { message } from '../rpc/rpc.ts';
import { enumeration, instant } from '../values/fields.ts';
import { keysOf } from '../values/typed-entries.ts';

/**
 * The type of a problem's subject. A deployment has at most one problem of each kind for each subject. `deployment`:
 * the kind has at most one problem, without a subject.
 */
type ProblemSubject = 'deployment' | 'queue' | 'Lambda' | 'API' | 'domain' | 'host name' | 'account' | 'message' | 'user' | 'member' | 'address' | 'source';

/** The words of a kind of problem. `{subject}` is replaced with the problem's subject. */
type ProblemKind = {
  readonly severity: 'WARNING' | 'CRITICAL';
  readonly subject: ProblemSubject;
  readonly title: string;
  /** The title of several problems of the kind, whose number replaces `{count}`. A kind without a subject has none. */
  readonly title_of_many?: string;
  readonly meaning: string;
  readonly affects: string;
  readonly next_step: string;
  /** The page of the console that shows more. */
  readonly console_path: string;
  /** The paragraph of docs/operator-runbook.md. */
  readonly runbook: string;
};

/**
 * Every kind of problem that the watch finds, with its words. The console, mails, the runbook and docs derive from it.
 */
export const problemKinds = {
  DEAD_LETTERS: {
    severity: 'CRITICAL',
    subject: 'queue',
    title: 'Messages in {subject} could not be handled',
    title_of_many: 'Messages in {count} queues could not be handled',
    meaning: 'A Lambda failed five times with these messages. They are kept for 14 days, and nothing handles them until they are tried again.',
    affects: 'The people whose mail, submission or change the messages are about.',
    next_step: 'Find the cause in the last error of each message, repair it, and try the messages again.',
    console_path: '/queues',
    runbook: 'dead-letters',
  },
  QUEUE_DELAYED: {
    severity: 'WARNING',
    subject: 'queue',
    title: 'The oldest message in {subject} waits for more than 15 minutes',
    title_of_many: 'The oldest messages in {count} queues wait for more than 15 minutes',
    meaning: 'Messages arrive faster than they are handled, or their Lambda fails or is throttled.',
    affects: 'Everyone whose mail, notification or change is in the queue: it comes late.',
    next_step: 'Look at the errors and throttles of the Lambda that handles the queue.',
    console_path: '/queues',
    runbook: 'a-queue-is-delayed',
  },
  STREAM_DELAYED: {
    severity: 'WARNING',
    subject: 'Lambda',
    title: 'The Lambda {subject} is more than 5 minutes behind',
    title_of_many: '{count} Lambdas are more than 5 minutes behind',
    meaning: 'Changes in the tables wait until the Lambda has handled those before them.',
    affects: 'notify: clients see new mail late. indexer: searches are slow. receipt-rules: new addresses receive no mail yet.',
    next_step: 'Look at the recent errors of the Lambda.',
    console_path: '/monitoring',
    runbook: 'a-lambda-is-behind',
  },
  LAMBDA_ERRORS: {
    severity: 'WARNING',
    subject: 'Lambda',
    title: 'The Lambda {subject} ended with an error',
    title_of_many: '{count} Lambdas ended with an error',
    meaning: 'AWS counted an error, a time-out or a crash of the Lambda within the last 30 minutes.',
    affects: 'The runbook has the effect of each Lambda.',
    next_step: 'Find the error in the recent errors.',
    console_path: '/monitoring',
    runbook: 'a-lambda-ended-with-an-error',
  },
  LAMBDA_THROTTLES: {
    severity: 'WARNING',
    subject: 'deployment',
    title: 'Lambdas of the AWS account are throttled',
    meaning: 'The account uses all Lambdas that may run at the same time in this region.',
    affects: 'Everyone: requests fail with 503, and mail is delivered late.',
    next_step: 'Request a higher limit with a LAMBDA_CONCURRENCY_INCREASE.',
    console_path: '/change-requests',
    runbook: 'lambdas-are-throttled',
  },
  API_ERRORS: {
    severity: 'WARNING',
    subject: 'API',
    title: 'The API {subject} fails',
    title_of_many: '{count} APIs fail',
    meaning: 'At least 5 requests were answered with a status 5xx within 15 minutes.',
    affects: 'The users of the API. jmap: mail clients. admin and console: admins.',
    next_step: 'Find the error in the recent errors.',
    console_path: '/monitoring',
    runbook: 'an-api-fails',
  },
  SES_SANDBOX: {
    severity: 'WARNING',
    subject: 'deployment',
    title: 'Mail can be sent to verified addresses only',
    meaning: 'The AWS account is in the SES sandbox. It can receive mail.',
    affects: 'Everyone who sends mail to other addresses: SES refuses it.',
    next_step: 'Request production access in the console, with a SES_MAX_24H_SEND_INCREASE. AWS answers in about a day.',
    console_path: '/change-requests',
    runbook: 'ses-sends-no-mail-or-little',
  },
  SENDING_PAUSED: {
    severity: 'CRITICAL',
    subject: 'deployment',
    title: 'SES sends no mail',
    meaning: 'Sending is paused for the AWS account in this region.',
    affects: 'Everyone: mail that is sent waits.',
    next_step: 'Read the message of AWS in the SES console, and answer it.',
    console_path: '/change-requests',
    runbook: 'ses-sends-no-mail-or-little',
  },
  SES_ENFORCEMENT: {
    severity: 'CRITICAL',
    subject: 'deployment',
    title: 'SES reviews the AWS account',
    meaning: 'The enforcement status of the account at SES is not HEALTHY. SES may pause sending.',
    affects: 'Everyone, if SES pauses sending.',
    next_step: 'Read the message of AWS in the SES console, and find the cause in the feedback.',
    console_path: '/feedback',
    runbook: 'ses-sends-no-mail-or-little',
  },
  QUOTA_NEARLY_USED: {
    severity: 'WARNING',
    subject: 'deployment',
    title: 'The sending quota of a day is nearly used',
    meaning: 'At least 80 % of the mail that SES allows in 24 hours was sent. It ends below 70 %.',
    affects: 'Everyone who sends mail: at 100 % it waits.',
    next_step: 'Request a higher quota with a SES_MAX_24H_SEND_INCREASE.',
    console_path: '/change-requests',
    runbook: 'ses-sends-no-mail-or-little',
  },
  BOUNCE_RATE: {
    severity: 'WARNING',
    subject: 'deployment',
    title: 'Too much mail bounces',
    meaning: 'The bounce rate is 5 % or more, at which SES reviews an account. At 10 % SES may pause sending.',
    affects: 'Everyone, if SES pauses sending.',
    next_step: 'Find in the feedback whose mail bounces, and stop it.',
    console_path: '/feedback',
    runbook: 'the-reputation-falls',
  },
  COMPLAINT_RATE: {
    severity: 'WARNING',
    subject: 'deployment',
    title: 'Too many recipients complain',
    meaning: 'The complaint rate is 0.1 % or more, at which SES reviews an account. At 0.5 % SES may pause sending.',
    affects: 'Everyone, if SES pauses sending.',
    next_step: 'Find in the feedback whose mail causes complaints, and stop it.',
    console_path: '/feedback',
    runbook: 'the-reputation-falls',
  },
  DOMAIN_VERIFICATION_FAILED: {
    severity: 'CRITICAL',
    subject: 'domain',
    title: 'The verification of {subject} failed',
    title_of_many: 'The verification of {count} domains failed',
    meaning: 'SES did not find the DKIM records in time, or no longer has the domain.',
    affects: 'Everyone with an address at the domain: they can neither send nor receive.',
    next_step: 'Create the missing DNS records, then call domains/VerifyDomain.',
    console_path: '/domains',
    runbook: 'a-domain-is-not-set-up',
  },
  DOMAIN_NOT_VERIFIED: {
    severity: 'WARNING',
    subject: 'domain',
    title: 'The domain {subject} is not verified yet',
    title_of_many: '{count} domains are not verified yet',
    meaning: 'SES has not found its DKIM records in DNS.',
    affects: 'Everyone with an address at the domain: they can neither send nor receive.',
    next_step: 'Create the DNS records that the domain’s page lists.',
    console_path: '/domains',
    runbook: 'a-domain-is-not-set-up',
  },
  MX_MISSING: {
    severity: 'WARNING',
    subject: 'domain',
    title: 'The domain {subject} does not receive mail',
    title_of_many: '{count} domains do not receive mail',
    meaning: 'The MX record of the domain does not point to this deployment.',
    affects: 'Everyone with an address at the domain: their mail goes elsewhere or is refused.',
    next_step: 'Create the MX record that the domain’s page lists.',
    console_path: '/domains',
    runbook: 'a-domain-is-not-set-up',
  },
  CERTIFICATE_EXPIRING: {
    severity: 'CRITICAL',
    subject: 'host name',
    title: 'The certificate of {subject} expires within 20 days',
    title_of_many: '{count} certificates expire within 20 days',
    meaning: 'ACM renews certificates 60 days before they expire, if it finds its record in DNS. It did not.',
    affects: 'Everyone: when it has expired, clients refuse to connect.',
    next_step: 'Restore the CNAME record that ACM names for the certificate.',
    console_path: '/monitoring',
    runbook: 'a-certificate-expires',
  },
  ACCOUNT_NEARLY_FULL: {
    severity: 'WARNING',
    subject: 'account',
    title: 'The account {subject} is nearly full',
    title_of_many: '{count} accounts are nearly full',
    meaning: 'It uses at least 95 % of its octets or of its number of Emails. It ends below 90 %.',
    affects: 'The members of the account: when it is full, its mail waits and is bounced within a day.',
    next_step: 'Raise the limit on the account’s page, or ask its owner to delete mail.',
    console_path: '/accounts',
    runbook: 'mail-waits',
  },
  MAIL_WAITING: {
    severity: 'WARNING',
    subject: 'deployment',
    title: 'Mail waits, and accounts are full',
    meaning: 'The queue of received mail delays messages while at least one account has no room.',
    affects: 'The members of full accounts: nobody sees the mail until there is room, and within a day it is bounced.',
    next_step: 'Raise the limit of the accounts that are nearly full.',
    console_path: '/accounts',
    runbook: 'mail-waits',
  },
  SNAPSHOT_OLD: {
    severity: 'WARNING',
    subject: 'account',
    title: 'The snapshot of the account {subject} is old',
    title_of_many: 'The snapshots of {count} accounts are old',
    meaning: 'Ten times as much log follows the newest snapshot as usual. The Lambda indexer fails for the account.',
    affects: 'The members of the account: the first request and searches are slow.',
    next_step: 'Look at the recent errors of the Lambda indexer.',
    console_path: '/monitoring',
    runbook: 'a-snapshot-is-old',
  },
  MESSAGE_UNPARSED: {
    severity: 'WARNING',
    subject: 'message',
    title: 'The message {subject} could not be parsed',
    title_of_many: '{count} messages could not be parsed',
    meaning: 'Postrider gave it up after seconds of work, so that other mail goes on. This is a fault of Postrider, and perhaps an attack by the sender.',
    affects: 'The members of the account, whose id stands before the slash: they see the message as a file, or do not find it by its text.',
    next_step: 'Save the message with `postrider export`, and report the fault to the developers of Postrider.',
    console_path: '/accounts',
    runbook: 'a-message-cannot-be-parsed',
  },
  GROUP_MEMBER_PAUSED: {
    severity: 'WARNING',
    subject: 'member',
    title: 'Mail of a group is not sent to {subject}',
    title_of_many: 'Mail of groups is not sent to {count} members outside',
    meaning: 'Mail to the address bounced for good, or its owner complained, so that nothing more is sent to it.',
    affects: 'The member outside, who gets no mail of the group. All other members get it.',
    next_step: 'Ask the member for their address. Remove the old one from the group, or clear it under Suppression once it works again.',
    console_path: '/groups',
    runbook: 'a-member-outside-gets-no-mail',
  },
  FORWARDING_PAUSED: {
    severity: 'WARNING',
    subject: 'address',
    title: 'Mail is not forwarded to {subject}',
    title_of_many: 'Mail is not forwarded to {count} addresses outside',
    meaning: 'Forwarded mail to the address bounced for good, or its owner complained, so that nothing more is sent to it.',
    affects: 'The owner of the account: their mail stays in the account, and the address outside gets none of it.',
    next_step: 'Ask the owner for the right address. Change the forwarding, or clear the address under Suppression once it works again.',
    console_path: '/forwarding',
    runbook: 'an-address-outside-gets-no-forwarded-mail',
  },
  REMOVAL_FAILED: {
    severity: 'WARNING',
    subject: 'account',
    title: 'The removal of {subject} does not end',
    title_of_many: '{count} removals do not end',
    meaning: 'The retention of a deleted account or user ended more than two days ago, but its data is still stored.',
    affects: 'The person who was removed: their data is kept for too long, and the address stays taken.',
    next_step: 'Look at the recent errors of the Lambda account-removal.',
    console_path: '/monitoring',
    runbook: 'a-removal-does-not-end',
  },
  APP_CLIENTS_NEAR_QUOTA: {
    severity: 'WARNING',
    subject: 'deployment',
    title: 'The user pool has nearly as many app clients as Cognito allows',
    meaning: 'It has at least 800 app clients, and 1000 are allowed by default. It ends below 750.',
    affects: 'People who set up a new mail client: its registration fails.',
    next_step: 'Find out which clients register, and turn registration off or request a higher quota.',
    console_path: '/monitoring',
    runbook: 'app-clients-near-the-quota',
  },
  REGISTRATIONS_USED_UP: {
    severity: 'WARNING',
    subject: 'deployment',
    title: 'No further mail client can register for now',
    meaning:
      `${registrationLimits.newInWindow} new clients registered within 24 hours, which is the most that a deployment allows. ` +
      'Clients that registered before go on.',
    affects: 'People who set up a mail program that nobody here has set up before.',
    next_step: 'Wait until the earliest of these registrations is a day old. If they are abuse, turn registration off.',
    console_path: '/monitoring',
    runbook: 'no-further-client-can-register',
  },
  SOURCE_UNAVAILABLE: {
    severity: 'WARNING',
    subject: 'source',
    title: 'The watch cannot read {subject}',
    title_of_many: 'The watch cannot read {count} sources',
    meaning: 'Two runs of the watch failed to read it. Problems that depend on it are neither found nor ended.',
    affects: 'Admins: they are not warned of these problems.',
    next_step: 'Find the error of the Lambda watch in its log.',
    console_path: '/monitoring',
    runbook: 'the-watch-cannot-read-a-source',
  },
} as const satisfies { readonly [name: string]: ProblemKind };

export type ProblemName = keyof typeof problemKinds;
export const problemNames = keysOf(problemKinds);

/** The name of a kind of problem. */
export const ProblemName = enumeration('ProblemName', problemNames);

/** A problem of the deployment: what it means, since when, whom it affects, and what to do. */
export const Problem = message('Problem', {
  name: ProblemName,
  severity: z.enum(['WARNING', 'CRITICAL']),
  /**
   * The queue, Lambda, API, domain, host name, account, user or source. Absent when the problem concerns the whole
   * deployment.
   */
  subject: z.string().optional(),
  /** The name of the account that is the subject. */
  subject_name: z.string().optional(),
  title: z.string(),
  meaning: z.string(),
  affects: z.string(),
  next_step: z.string(),
  /** The path of the console's page that shows more: `/monitoring`. */
  console_path: z.string(),
  /** The paragraph of the operator's runbook: `docs/operator-runbook.md#dead-letters`. */
  runbook: z.string(),
  since: instant(),
});
export type Problem = z.input<typeof Problem>;

/** The identity of a problem. `subject` is undefined for a problem of the whole deployment. */
export type ProblemReference = Pick<Problem, 'name'> & { readonly [Key in 'subject' | 'subject_name']?: string | undefined };

/** A problem in words, which name its subject. */
export const describeProblem = ({ name, subject, subject_name: subjectName }: ProblemReference, since: string): Problem => {
  const { severity, title, meaning, affects, next_step, console_path, runbook }: ProblemKind = problemKinds[name];
  return {
    name,
    severity,
    ...(subject !== undefined && { subject }),
    ...(subjectName !== undefined && { subject_name: subjectName }),
    title: title.replace('{subject}', () => subjectName ?? subject ?? ''),
    meaning,
    affects,
    next_step,
    console_path,
    runbook: `docs/operator-runbook.md#${runbook}`,
    since,
  };
};

/** The title of several problems of a kind. Undefined for a kind that has one problem at most. */
export const titleOfMany = (name: ProblemName, count: number): string | undefined => {
  const { title_of_many: title }: ProblemKind = problemKinds[name];
  return title?.replace('{count}', String(count));
};
