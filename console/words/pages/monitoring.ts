import { reputationLimits } from '../../../contract/admin/status.ts';
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
  deadHelp: 'These messages failed five times and stay for 14 days. Find the cause in the recent errors, then start a redrive of the queue in the SQS console.',
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
