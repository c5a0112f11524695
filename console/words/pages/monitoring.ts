import { reputationLimits } from '../../../contract/admin/status.ts';
import { phrase } from '../phrase.ts';
import { formatDuration } from '../times.ts';

/** A fraction as a percentage. */
export const percent = (fraction: number): string => fraction.toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 2 });

const number = (value: number): string => value.toLocaleString();
const plural = (count: number, one: string, many: string): string => `${number(count)} ${count === 1 ? one : many}`;

/** A duration in one unit. */
const duration = (seconds: number): string => {
  if (seconds < 120) return plural(Math.round(seconds), 'second', 'seconds');
  return seconds < 7200 ? plural(Math.round(seconds / 60), 'minute', 'minutes') : plural(Math.round(seconds / 3600), 'hour', 'hours');
};

type Rate = keyof typeof reputationLimits;

const rateNames: { readonly [rate in Rate]: string } = { bounce_rate: 'bounce rate', complaint_rate: 'complaint rate' };

/** A sentence about the rates from which AWS reviews or pauses accounts. */
const limits = (rate: Rate): string =>
  `AWS reviews accounts from a ${rateNames[rate]} of ${percent(reputationLimits[rate].review)}, and may pause them from ${percent(reputationLimits[rate].pause)}.`;

export const overviewWords = {
  flows: (received: number, sent: number) => `Mail flows. ${number(received)} in, ${number(sent)} out in the last hour.`,
  quiet: 'No mail came in or went out in the last hour.',
  stuck: (received: number, sent: number) => `Mail is stuck. ${number(received)} in, ${number(sent)} out in the last hour.`,
  nothingWaits: 'Nothing waits.',
  waits: (count: number) => `${plural(count, 'message waits', 'messages wait')} to be processed.`,
  waitUnknown: 'It is not known yet whether anything waits.',
  oldest: (queue: string, seconds: number) => `${queue}: the oldest message has been waiting for ${duration(seconds)}.`,
  dead: (count: number, queues: string) => `${plural(count, 'message', 'messages')} could not be processed: ${queues}.`,
  failedCalls: (count: number, names: string) => `${plural(count, 'call', 'calls')} failed in the last hour: ${names}.`,
  throttled: (count: number) => `${plural(count, 'call was', 'calls were')} refused in the last hour, because all concurrent Lambdas were in use.`,
  rate: (name: Rate, rate: number) => `The ${rateNames[name]} is ${percent(rate)}. ${limits(name)}`,
  links: {
    accounts: 'See the accounts',
    feedback: 'See bounces and complaints',
    errors: 'See the errors',
    queues: 'See the queues',
    concurrency: 'Request more Lambda concurrency',
  },
  asOf: (time: string) => `As of ${time}`,
  refresh: { on: (minutes: number) => (minutes === 1 ? 'Refresh every minute' : `Refresh every ${minutes} minutes`) },
  problems: {
    title: 'Needs attention',
    andMore: (count: number) => ` and ${number(count)} more`,
    notYet: 'Problems are looked for every five minutes. The first result is not there yet.',
    watchedAt: 'Last checked',
    since: 'Since',
    affects: 'Affected:',
    next: 'Next step:',
    more: 'See more',
    runbook: 'In the runbook:',
    subscribe: 'Send me mail when a problem begins or ends',
    nobody: { title: 'Nobody is notified of problems', text: 'Turn on your own mail here, or deploy with the setting alarmEmail.' },
  },
  ready: 'Everything is set up, and nothing needs attention.',
  setUp: 'Set-up',
  healthy: 'Nothing else needs attention.',
  /** The title of several issues of a type, beside the kinds of problems. */
  several: (type: string, count: number) => (type === 'SPF_NOT_MERGED' ? `The SPF policies of ${number(count)} domains do not allow SES` : undefined),
  steps: {
    domain: 'Add a domain',
    verified: 'Verify the domain by its DNS records',
    mx: 'Point the domain’s MX record here',
    identity: 'Verify a domain or an address',
    production: 'Request production access',
    user: 'Invite the first person',
    test: 'Send a test mail',
  },
  welcome: {
    title: 'Welcome to Postrider',
    text: 'Go through the steps below from top to bottom. Each leads to the page where it is done.',
    dismiss: 'Hide this',
  },
  /** The action for an issue, by the issue's type. For a type without words, the API's text is shown. */
  issues: {
    NO_DOMAIN: { text: 'Mail needs a domain of yours.', action: 'Add a domain' },
    DOMAIN_VERIFICATION_FAILED: {
      text: 'Compare the records at your DNS provider with those that are listed here. If they are right, remove the domain and add it again.',
      action: 'See the records',
    },
    DOMAIN_NOT_VERIFIED: {
      text: 'Create the listed records at your DNS provider, or apply them here. SES sees them within minutes to hours.',
      action: 'See the records',
    },
    MX_MISSING: {
      text: 'Create the listed MX record at your DNS provider. Until then, mail for the domain arrives elsewhere or nowhere.',
      action: 'See the MX record',
    },
    SPF_NOT_MERGED: {
      text: 'Publish the listed merged policy in place of yours. Until then, receivers may take your mail for forged.',
      action: 'See the SPF record',
    },
    ROLE_MAIL_UNREAD: { text: 'Other mail services write to these addresses before they block a domain.', action: 'See the domain' },
    MX_NOT_CHECKED: { text: 'The next look begins with other domains. Each domain’s page shows its own records.', action: 'See the domains' },
    MAIL_WAITING: {
      text: 'Give the account more room, or ask its owner to delete mail. What waits is then delivered within a quarter of an hour.',
      action: 'See the accounts',
    },
    SES_SANDBOX: { text: 'Request production access. AWS usually decides within a day.', action: 'Request production access' },
    SENDING_PAUSED: {
      text: 'AWS or somebody with access to the AWS account has paused it. Only the SES console can resume it.',
      action: 'See bounces and complaints',
    },
    SES_ENFORCEMENT: {
      text: 'Find out what bounces, and stop it. Then answer the mail that AWS sent to the owner of the account.',
      action: 'See bounces and complaints',
    },
    QUOTA_NEARLY_USED: { text: 'When it is used up, mail waits until older sending is a day ago.', action: 'Request a higher daily quota' },
  },
  mail: {
    title: 'Mail',
    totals: (received: number, sent: number) => `${number(received)} in, ${number(sent)} out`,
    in: 'In',
    out: 'Out',
    unknown: 'Counting …',
  },
  figures: 'Figures',
  sending: {
    title: 'Sending',
    state: 'State',
    on: 'SES sends',
    off: 'SES has paused sending',
    sandbox: 'Only to verified addresses',
    access: 'Recipients',
    anyone: 'Everybody',
    quota: 'Sent in 24 hours',
    rate: 'Most messages a second',
    bounces: 'Bounce rate',
    complaints: 'Complaint rate',
    unknown: 'SES tells none yet',
    enforcement: { HEALTHY: 'Healthy', PROBATION: 'Under review by AWS', SHUTDOWN: 'Stopped by AWS' },
    reputation: 'Reputation',
  },
  account: 'AWS account',
  region: 'Region',
  concurrency: 'Concurrent Lambdas',
} as const;

export const chartWords = {
  range: 'Time',
  ranges: { hour: 'Hour', day: 'Day', week: 'Week', fortnight: '2 weeks' },
  empty: { title: 'No figures yet', text: 'CloudWatch has none for this time. Newer ones may be some minutes late.' },
  count: number,
  milliseconds: (value: number) => (value >= 10_000 ? `${number(Math.round(value / 100) / 10)} s` : `${number(Math.round(value))} ms`),
  seconds: (value: number) => formatDuration(Math.round(value), 'narrow'),
  percent,
  review: (rate: Rate) => `AWS reviews from ${percent(reputationLimits[rate].review)}`,
  pause: (rate: Rate) => `AWS may pause from ${percent(reputationLimits[rate].pause)}`,
  bounceRate: 'Bounce rate',
  complaintRate: 'Complaint rate',
  rates: 'As SES calculates them, for all mail of the AWS account in this region',
  ratesEmpty: { title: 'SES has no rate yet', text: 'It calculates rates when enough mail was sent.' },
  limits,
  newest: (rate: string) => `Now ${rate}`,
} as const;

/** Names of queues by their place, and of APIs. */
export const resourceWords = {
  queues: {
    'InboundMail/Waiting': 'Received mail',
    'InboundMail/FullAccounts': 'Mail for full accounts',
    'OutboundMail/Waiting': 'Mail to send',
    'OutboundMail/Events': 'Reports of SES',
    'AccountRemoval/Waiting': 'Removed accounts',
    'MailCleanup/Waiting': 'Mail to clean up',
    'Support/Waiting': 'Uses of support access',
    'Push/Waiting': 'Push notifications',
    'Push/FailedNotifications': 'Notifications of changes',
  },
  apis: { admin: 'Admin API', jmap: 'JMAP', console: 'Console', 'web-socket': 'WebSocket' },
} as const;

/** The name of a queue for people. @param place its place in the stack; dead letters have the name of their queue. */
export const queueName = (place: string): string => {
  const work = place.replace(/\/DeadLetters$/, '');
  return (resourceWords.queues as { readonly [place: string]: string })[work] ?? work;
};

/** The meaning of waiting messages and of dead letters for people, by the place of the queue. */
const queueTexts: { readonly [place in keyof typeof resourceWords.queues]: { readonly waits: string; readonly dead: string } } = {
  'InboundMail/Waiting': { waits: 'Received mail that is not in its mailboxes yet.', dead: 'This mail is in no mailbox, and its senders do not know it.' },
  'InboundMail/FullAccounts': {
    waits: 'Their mailboxes are full. Raise their limits or ask their owners to delete mail: what waits is delivered within a quarter of an hour.',
    dead: '',
  },
  'OutboundMail/Waiting': {
    waits: 'Mail that SES has not taken yet.',
    dead: 'This mail was not sent when it was tried. It is tried again by itself for two days; then its sender gets a report.',
  },
  'OutboundMail/Events': {
    waits: 'Bounces, complaints and deliveries that are not recorded yet.',
    dead: 'These bounces and complaints are not recorded: find the cause before much more is sent.',
  },
  'AccountRemoval/Waiting': {
    waits: 'Deleted accounts whose mail is not removed yet.',
    dead: 'Nobody sees these accounts any more. Their mail is not removed; the daily run tries again.',
  },
  'MailCleanup/Waiting': {
    waits: 'Remains of destroyed mail and of searches that are not removed yet.',
    dead: 'Nobody sees this mail any more; its remains stay and take storage.',
  },
  'Support/Waiting': { waits: 'Uses of support access that are not archived yet.', dead: 'The archive of support cases lacks these uses.' },
  'Push/Waiting': { waits: 'Devices that are not told of new mail yet.', dead: 'These devices were not told. The next change tells them everything.' },
  'Push/FailedNotifications': { waits: '', dead: 'Some programs learnt of changes late. Nothing is missing: drop them when the log shows the cause.' },
};

export const queueWords = {
  columns: { name: 'Queue', waiting: 'Waiting', delayed: 'For later', since: 'Oldest since', dead: 'Could not be processed' },
  textOf: (place: string, dead: number) => {
    const texts: { readonly waits: string; readonly dead: string } | undefined = (queueTexts as { readonly [place: string]: typeof texts })[place];
    return (dead > 0 ? texts?.dead : texts?.waits) ?? '';
  },
  empty: { title: 'No queues', text: 'The deployment names none.' },
  letters: {
    title: 'Could not be processed',
    columns: { time: 'Since', what: 'What', failure: 'Last error', failedAt: 'Failed' },
    empty: { title: 'Nothing', text: 'All messages of this queue could be processed. Somebody else may be looking at them just now: read the list again.' },
    unknown: 'A message without a known content',
    mail: (sender: string, recipients: string) => phrase`Mail from ${sender} to ${recipients}`,
    nobody: 'nobody',
    account: (id: string) => `Account ${id}`,
    submission: 'Mail to be sent',
    event: (id: string) => `Report about ${id}`,
    notReturned: {
      'null sender': 'It has no sender who could get an answer.',
      'spam or virus': 'SES found spam or a virus in it.',
      'unauthenticated sender': 'Nothing proves who sent it: an answer could reach somebody else.',
      'automatic message': 'A program sent it, or a list.',
      'unreadable header': 'Its header cannot be read.',
      'no recipient': 'It has no recipient here.',
      'too old': 'SES returns mail only within 24 hours.',
      'not stored': 'The message is not stored any more.',
    } as { readonly [reason: string]: string },
    cannotReturn: 'It could not be given back.',
    noError: 'None in the log',
    noErrorText: 'The log has no error of it: the Lambda timed out or ran out of memory, or the error is older than the log.',
    several: 'Only the first hundred are shown. The buttons above act on these.',
    actions: { RETRY: 'Try now', RETURN: 'Give back', DROP: 'Drop' },
    all: (action: string, count: number) => (count === 1 ? action : `${action}: all ${number(count)}`),
    of: (action: string, what: string) => phrase`${action}: ${what}`,
    consequences: {
      RETRY: 'They are processed again, at once. What was done before is recognised, so nothing is done twice. Mend the cause first, or they come back here.',
      RETURN: {
        'InboundMail/Waiting':
          'Their senders get a report that the mail was not delivered, and nobody here gets it any more. Mail that may not be answered, such as spam, comes back here with the reason.',
        'OutboundMail/Waiting': 'It is not sent any more. Its senders get a report in their mailboxes.',
      } as { readonly [place: string]: string },
      DROP: { 'InboundMail/Waiting': 'Nobody gets this mail, and nobody is told. Its raw form stays in the bucket for 30 days.' } as {
        readonly [place: string]: string;
      },
      dropOther: 'They are removed for good.',
    },
    done: (action: string, count: number) => `${action}: ${plural(count, 'message', 'messages')}`,
    left: 'The others are not there any more, or somebody else works on them. Read the list again.',
  },
} as const;

export const monitoringWords = {
  charts: {
    requests: 'Requests',
    apiErrors: 'Failed requests (5xx)',
    latency: 'Latency (p95)',
    functionErrors: 'Failed calls of Lambdas',
    waiting: 'Waiting in queues',
    age: 'Age of the oldest message',
    dead: 'Could not be processed',
    throttled: 'Refused: too many at once',
  },
  state: { title: 'Queues and failures', waiting: 'Waiting now', none: 'None', count: number },
  deadHelp: 'These messages failed five times and stay for 14 days. Operations, What waits shows each with its error, and tries it again.',
  latencyHelp: 'Lines join the times that had requests.',
  details: 'Each queue, API and Lambda',
  detailsOfDay: 'Of the last day at most',
  waiting: 'Waiting',
  delayed: 'Delayed',
  oldest: 'Oldest',
  age: duration,
  apis: 'APIs',
  functions: 'Lambdas',
  queues: 'Queues',
  errors: 'Recent errors',
  name: 'Name',
  requests: 'Requests',
  failures: 'Errors 5xx',
  latency: 'Latency p95',
  invocations: 'Calls',
  functionErrors: 'Errors',
  throttles: 'Throttled',
  duration: 'Duration p95',
  noData: { title: 'No figures', text: 'CloudWatch has no figures for this time.' },
  noErrors: { title: 'No errors', text: 'Nothing failed in this time.' },
  time: 'Time',
  group: 'Log',
  allLogs: 'All logs',
  message: 'Message',
  request: 'Request id',
  context: 'What the log says around it',
  noContext: 'The log has no lines around this time.',
  refresh: 'Refresh',
} as const;
