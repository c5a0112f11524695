import type { Group } from '../../contract/admin/aliases.ts';
import type { Domain } from '../../contract/admin/domains.ts';
import type { ProblemName } from '../../contract/admin/problems.ts';
import { registrationLimits } from '../../contract/oauth/registration.ts';
import { forwardingsIn } from '../../core/directory/forwarding/forwardings.ts';
import { noteUnparsedMessage } from '../../core/mail/delivery/unparsed-messages.ts';
import { mailFeedbackIn } from '../../core/sending/feedback/mail-feedback.ts';
import { memoryLog } from '../fakes/memory-log.ts';
import type { WatchedDeployment } from './watched-deployment.ts';

/** The provocation of a problem, and the end of its cause. */
export type Provocation = {
  readonly subject?: string;
  /** In words, for docs/problems.md. */
  readonly cause: string;
  readonly end: string;
  /** Runs of the watch that must find the problem. Default: 1. */
  readonly runs?: number;
  readonly provoke: (deployment: WatchedDeployment) => Promise<unknown> | void;
  /** Default: time passes. */
  readonly repair: (deployment: WatchedDeployment) => Promise<unknown> | void;
};

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const accountId = 'acc_full';
const inbound = 'waiting-1';
const inboundMx = '10 inbound-smtp.us-east-1.amazonaws.com';

const measureLambda = (metric: string, value: number, name?: string) => (deployment: WatchedDeployment) =>
  deployment.measure('AWS/Lambda', metric, name === undefined ? {} : { FunctionName: `Postrider-${name}` }, value);

const reportStatus =
  (status: object) =>
  async ({ emailProvider }: WatchedDeployment) => {
    const current = await emailProvider.accountStatus();
    emailProvider.accountStatus = async () => ({ ...current, ...status });
  };

const rate = (metric: string, value: number) => async (deployment: WatchedDeployment) => {
  await deployment.measure('AWS/SES', 'Send', {}, 100);
  await deployment.measure('AWS/SES', metric, {}, value);
};

const addDomain = async ({ ok }: WatchedDeployment): Promise<Domain> =>
  (await ok('/domains/AddDomain', { domain: 'example.test', receive_enabled: true }))['domain'] as Domain;

const verifyDomain = ({ emailProvider, senderAddresses, dns }: WatchedDeployment) => {
  emailProvider.verify('example.test');
  senderAddresses.verifiedDomains.add('example.test');
  dns.set('example.test', 'MX', inboundMx);
};

/** A permanent bounce of mail to an address. */
const bounce = ({ sending, now }: WatchedDeployment, recipient: string, identity_id: string) => {
  const at = new Date(now());
  const of = { id: 'f', type: 'BOUNCE', message_class: 'TRANSACTIONAL', recipient, identity_id, provider_message_id: 'm' } as const;
  return mailFeedbackIn(sending).add({ ...of, timestamp: at.toISOString(), bounce_metadata: { bounce_type: 'Permanent', bounce_sub_type: 'General' } }, at);
};

const passHour = ({ pass }: WatchedDeployment) => pass(hour);

/** The provocation of every kind of problem. */
export const provocations: { readonly [Name in ProblemName]: Provocation } = {
  DEAD_LETTERS: {
    subject: 'InboundMail/Waiting/DeadLetters',
    cause: 'a message is in a dead-letter queue',
    end: 'the messages are tried again with success, given back or dropped',
    provoke: ({ queueDepths }) => queueDepths.set('dead-1', { visible: 1 }),
    repair: ({ queueDepths }) => queueDepths.set('dead-1', {}),
  },
  QUEUE_DELAYED: {
    subject: 'InboundMail/Waiting',
    cause: 'the oldest message of a queue waits for 15 minutes',
    end: 'the oldest message waits for less than 10 minutes',
    provoke: async (deployment) => {
      deployment.queueDepths.set(inbound, { visible: 1 });
      await deployment.measure('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: inbound }, 901);
    },
    repair: async (deployment) => {
      deployment.pass(5 * 60_000);
      await deployment.measure('AWS/SQS', 'ApproximateAgeOfOldestMessage', { QueueName: inbound }, 599);
    },
  },
  STREAM_DELAYED: {
    subject: 'notify',
    cause: 'the iterator age of notify, indexer or receipt-rules is 5 minutes',
    end: 'it is less than 1 minute',
    provoke: measureLambda('IteratorAge', 300_000, 'notify'),
    repair: async (deployment) => {
      deployment.pass(5 * 60_000);
      await measureLambda('IteratorAge', 59_000, 'notify')(deployment);
    },
  },
  LAMBDA_ERRORS: {
    subject: 'deliver',
    cause: 'a Lambda throws, crashes or times out',
    end: 'it ends without an error for 30 minutes',
    provoke: async (deployment) => {
      await measureLambda('Errors', 1)(deployment);
      await measureLambda('Errors', 1, 'deliver')(deployment);
    },
    repair: passHour,
  },
  LAMBDA_THROTTLES: {
    cause: 'a Lambda of the AWS account is throttled',
    end: 'none is throttled for 15 minutes',
    provoke: measureLambda('Throttles', 1),
    repair: passHour,
  },
  API_ERRORS: {
    subject: 'admin',
    cause: 'an API answers 5 requests with a status 5xx within 15 minutes',
    end: 'it answers none so for 15 minutes',
    provoke: (deployment) => deployment.measure('AWS/ApiGateway', '5xx', { ApiId: 'a1', Stage: '$default' }, 5),
    repair: passHour,
  },
  SES_SANDBOX: {
    cause: 'the AWS account is in the SES sandbox',
    end: 'it has production access',
    provoke: reportStatus({ sandbox: true }),
    repair: reportStatus({ sandbox: false }),
  },
  SENDING_PAUSED: {
    cause: 'SES pauses sending',
    end: 'SES resumes sending',
    provoke: reportStatus({ sending_enabled: false }),
    repair: reportStatus({ sending_enabled: true }),
  },
  SES_ENFORCEMENT: {
    cause: 'the enforcement status at SES is not HEALTHY',
    end: 'it is HEALTHY',
    provoke: reportStatus({ enforcement_status: 'PROBATION' }),
    repair: reportStatus({ enforcement_status: 'HEALTHY' }),
  },
  QUOTA_NEARLY_USED: {
    cause: '80 % of the mail that SES allows in 24 hours is sent',
    end: 'it is less than 70 %',
    provoke: reportStatus({ quota: { max_24h_send: 200, sent_last_24h: 160 } }),
    repair: reportStatus({ quota: { max_24h_send: 200, sent_last_24h: 139 } }),
  },
  BOUNCE_RATE: {
    cause: 'the bounce rate is 5 %',
    end: 'it is less than 4.5 %',
    provoke: rate('Reputation.BounceRate', 0.05),
    repair: async (deployment) => {
      deployment.pass(2 * hour);
      await rate('Reputation.BounceRate', 0.044)(deployment);
    },
  },
  COMPLAINT_RATE: {
    cause: 'the complaint rate is 0.1 %',
    end: 'it is less than 0.09 %',
    provoke: rate('Reputation.ComplaintRate', 0.001),
    repair: async (deployment) => {
      deployment.pass(2 * hour);
      await rate('Reputation.ComplaintRate', 0.0008)(deployment);
    },
  },
  DOMAIN_VERIFICATION_FAILED: {
    subject: 'example.test',
    cause: 'SES does not find the DKIM records in time, or loses the domain',
    end: 'SES verifies the domain',
    provoke: async (deployment) => {
      const { id } = await addDomain(deployment);
      deployment.dns.set('example.test', 'MX', inboundMx);
      await deployment.emailProvider.removeDomain('example.test');
      await deployment.ok('/domains/GetDomain', { id });
    },
    repair: verifyDomain,
  },
  DOMAIN_NOT_VERIFIED: {
    subject: 'example.test',
    cause: 'a domain is added, and its DKIM records are missing',
    end: 'SES verifies the domain',
    provoke: async (deployment) => {
      await addDomain(deployment);
      deployment.dns.set('example.test', 'MX', inboundMx);
    },
    repair: verifyDomain,
  },
  MX_MISSING: {
    subject: 'example.test',
    cause: 'two runs do not find the MX record of a domain that receives mail',
    end: 'its MX record names SES in the region',
    runs: 2,
    provoke: async (deployment) => {
      await addDomain(deployment);
      verifyDomain(deployment);
      deployment.dns.set('example.test', 'MX', '10 mx.elsewhere.test');
    },
    repair: verifyDomain,
  },
  CERTIFICATE_EXPIRING: {
    subject: 'jmap.example.test',
    cause: 'the certificate that a custom domain serves expires within 20 days',
    end: 'the custom domain serves a newer one',
    provoke: ({ certificates, now }) => void certificates.set('jmap.example.test', new Date(now() + 19 * day)),
    repair: ({ certificates }) => void certificates.delete('jmap.example.test'),
  },
  ACCOUNT_NEARLY_FULL: {
    subject: accountId,
    cause: 'an account uses 95 % of its octets or of its number of Emails',
    end: 'it uses less than 90 %, because of a higher limit or less mail',
    provoke: ({ storeAccount }) => storeAccount(accountId, { bytes: 950_000 }),
    repair: ({ storeAccount }) => storeAccount(accountId, { bytes: 899_999 }),
  },
  MAIL_WAITING: {
    cause: 'received mail is delayed while an account has no room',
    end: 'no received mail is delayed, or every account has room',
    provoke: async ({ storeAccount, queueDepths }) => {
      await storeAccount(accountId, { messages: 1000 });
      queueDepths.set(inbound, { delayed: 1 });
    },
    repair: ({ queueDepths }) => queueDepths.set(inbound, {}),
  },
  SNAPSHOT_OLD: {
    subject: accountId,
    cause: '5000 commits or 960 KiB of log follow the newest snapshot of an account',
    end: 'the indexer writes a snapshot',
    provoke: ({ storeAccount }) => storeAccount(accountId, { sequence: 5000 }),
    repair: ({ storeAccount }) => storeAccount(accountId, { sequence: 5001, snapshot: '000000005001-0-10-100-abc' }),
  },
  MESSAGE_UNPARSED: {
    subject: `${accountId}/Mhostile`,
    cause: 'the parser fails on a message, or takes more than its share of time',
    end: '7 days have passed',
    provoke: ({ mail, now }) =>
      noteUnparsedMessage(
        { accountId, blobId: 'Mhostile', failure: new Error('a fault') },
        { mailTable: mail, clock: () => new Date(now()), log: memoryLog() },
      ),
    repair: ({ pass }) => pass(7 * day),
  },
  GROUP_MEMBER_PAUSED: {
    subject: 'ann@elsewhere.test in all@example.test',
    cause: 'mail to a member outside of a group bounced for good, or its owner complained',
    end: 'the member is removed from the group, or the suppression of the address is cleared',
    provoke: async (deployment) => {
      const { id: domain_id } = await addDomain(deployment);
      const { group_id } = (await deployment.ok('/aliases/CreateGroup', { local_part: 'all', domain_id }))['group'] as Group;
      await deployment.ok('/aliases/AddGroupMembers', { group_id, addresses: ['ann@elsewhere.test', 'bea@elsewhere.test'] });
      await bounce(deployment, 'ann@elsewhere.test', domain_id);
      verifyDomain(deployment);
    },
    repair: ({ ok }) => ok('/suppression/ClearBounceSuppression', { recipient: 'ann@elsewhere.test' }),
  },
  FORWARDING_PAUSED: {
    subject: 'ann@elsewhere.test for ada@example.test',
    cause: 'mail that an account forwards to an address outside bounced for good, or its owner complained',
    end: 'the forwarding is changed, or the suppression of the address is cleared',
    provoke: async (deployment) => {
      const addresses = ['ann@elsewhere.test', 'bea@elsewhere.test'].map((email) => ({ email }));
      await deployment.directory.write([{ put: { pk: 'account', sk: 'acc_ada', name: 'Ada', email: 'ada@example.test', member_count: 1, created_at: '' } }]);
      await forwardingsIn(deployment.directory).put('acc_ada', { addresses, keep_copy: true }, new Date(deployment.now()));
      await bounce(deployment, 'ann@elsewhere.test', 'ali_ada');
    },
    repair: ({ ok }) => ok('/suppression/ClearBounceSuppression', { recipient: 'ann@elsewhere.test' }),
  },
  REMOVAL_FAILED: {
    subject: 'acc_gone',
    cause: 'two runs find the data of an account or user two days after its retention ended',
    end: 'the removal ends',
    runs: 2,
    provoke: ({ directory, now }) =>
      directory.write([
        {
          put: {
            pk: 'account-removal',
            sk: 'acc_gone',
            name: 'n',
            email: 'gone@example.test',
            step: 'mail',
            removed: 0,
            begun_at: new Date(now() - 30 * day).toISOString(),
            removal_at: new Date(now() - 2 * day - 1).toISOString(),
          },
        },
      ]),
    repair: ({ directory }) => directory.write([{ delete: { pk: 'account-removal', sk: 'acc_gone' } }]),
  },
  APP_CLIENTS_NEAR_QUOTA: {
    cause: 'the user pool has 800 app clients',
    end: 'it has less than 750',
    provoke: ({ state }) => void (state.appClients = 800),
    repair: ({ state }) => void (state.appClients = 749),
  },
  REGISTRATIONS_USED_UP: {
    cause: `${registrationLimits.newInWindow} new clients registered within 24 hours`,
    end: 'the earliest of these registrations is a day old',
    provoke: ({ directory, now }) =>
      directory.write([
        {
          put: {
            pk: 'client-registration-cap',
            sk: 'slots',
            version: 1,
            slots: Array.from({ length: registrationLimits.newInWindow }, (_, index) => ({
              holder: `holder-${index}`,
              network: 'abcd',
              until: now() + (index + 1) * 5 * minute,
              isRegistered: true,
            })),
          },
        },
      ]),
    repair: ({ pass }) => pass(5 * minute),
  },
  SOURCE_UNAVAILABLE: {
    subject: 'APIs',
    cause: 'two runs cannot read a source, because AWS or DNS fails',
    end: 'a run reads the source',
    runs: 2,
    provoke: ({ metrics, state }) => {
      const { read } = metrics;
      const failing: typeof read = (queries, time) =>
        queries.some(({ namespace }) => namespace === 'AWS/ApiGateway') ? Promise.reject(new Error('Rate exceeded')) : read(queries, time);
      Object.assign(metrics, { read: failing });
      Object.assign(state, { repairMetrics: () => Object.assign(metrics, { read }) });
    },
    repair: ({ state }) => (state as unknown as { repairMetrics: () => void }).repairMetrics(),
  },
};
