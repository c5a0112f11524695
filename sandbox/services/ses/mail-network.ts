import { join } from 'node:path';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { Route53Client } from '@aws-sdk/client-route-53';
import { S3Client } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SNSClient } from '@aws-sdk/client-sns';
import { emulatorClientConfig } from '../../deployment/aws-target.ts';
import type { RunningServer } from '../../process/loopback-server.ts';
import { openStateFile } from '../../state/state-file.ts';
import { hostedZones } from '../resolver/hosted-zones.ts';
import { strictBehaviour, type UndocumentedBehaviour } from '../undocumented-behaviour.ts';
import { openIdentities, type Identity } from './identities/email-identities.ts';
import { inboundMail } from './inbound/inbound-mail.ts';
import { startMailRelay } from './inbound/mail-relay.ts';
import { startSmtpServer } from './inbound/smtp-server.ts';
import { sendVerificationMail } from './inbound/verification-mail.ts';
import type { MailEvent } from './mail-event.ts';
import { mailMetrics } from './mail-metrics.ts';
import { startOutboxServer } from './outbox/outbox-server.ts';
import { openOutbox } from './outbox/outbox.ts';
import { outgoingMail } from './outgoing-mail.ts';
import { configurationSetsFrom } from './sending/configuration-sets.ts';
import { openAccount, newAccount, type AppliedQuotas } from './sending/ses-account.ts';
import { openSuppressionList } from './sending/suppression-list.ts';
import { accountOperations } from './ses-api/account-operations.ts';
import { bounceOperation } from './ses-api/bounce-operation.ts';
import { identityOperations } from './ses-api/identity-operations.ts';
import { sendOperations } from './ses-api/send-operation.ts';
import { startSesApi } from './ses-api/ses-api.ts';
import { suppressionOperations } from './ses-api/suppression-operations.ts';
import { undocumentedOperation } from './ses-api/undocumented-operation.ts';

export type { MailEvent } from './mail-event.ts';

export type MailNetworkOptions = {
  /** Ports of 127.0.0.1. `relay`, if given, receives the mail that the emulator sends. */
  readonly ports: { readonly smtp: number; readonly sesApi: number; readonly outbox: number; readonly relay?: number };
  /** The emulator's endpoint: S3, SNS, SES's receipt rules and configuration sets, Route 53, CloudWatch. */
  readonly emulator: string;
  readonly region: string;
  /** The directory for identities, suppression list, account and outbox. */
  readonly stateDirectory: string;
  /** The quotas of the account. Default: those of a new account. */
  readonly quotas?: AppliedQuotas;
  /** Default: strict. */
  readonly undocumented?: UndocumentedBehaviour;
  /** Called for each message, refusal and failure. */
  readonly onMail?: (event: MailEvent) => void;
};

const clientsOf = (access: ReturnType<typeof emulatorClientConfig>) => ({
  s3: new S3Client({ ...access, forcePathStyle: true }),
  sns: new SNSClient(access),
  ses: new SESClient(access),
  sesv2: new SESv2Client(access),
  route53: new Route53Client(access),
  cloudwatch: new CloudWatchClient(access),
});

const openState = async (directory: string) => ({
  identities: await openStateFile<Record<string, Identity>>(join(directory, 'identities.json'), {}),
  suppressed: await openStateFile(join(directory, 'suppression-list.json'), {}),
  account: await openStateFile(join(directory, 'account.json'), { ...newAccount, sent: [] }),
  outbox: await openOutbox(join(directory, 'outbox')),
});

type Starting = () => Promise<RunningServer>;

/** Starts all servers or none: when one fails, the servers that already listen are stopped. */
const startAll = async (starting: readonly Starting[]): Promise<RunningServer[]> => {
  const running: RunningServer[] = [];
  try {
    for (const start of starting) running.push(await start());
    return running;
  } catch (error) {
    await Promise.all(running.map((each) => each.stop()));
    throw error;
  }
};

/**
 * Starts SES around the emulator: an SMTP server for incoming mail, SES API v2 for outgoing mail, and an outbox that
 * shows mail to other domains. Resolves when all servers listen. `stop` waits until all mail is delivered.
 * @throws SandboxError for a port that is taken.
 */
export const startMailNetwork = async ({
  ports,
  emulator: endpoint,
  region,
  stateDirectory,
  quotas,
  undocumented = strictBehaviour(),
  onMail,
}: MailNetworkOptions): Promise<{ stop(): Promise<void> }> => {
  const reportMail = onMail ?? (() => undefined);
  const emulator = { endpoint, region };
  const clients = clientsOf(emulatorClientConfig(emulator));
  const state = await openState(stateDirectory);
  const { outbox } = state;
  const zones = hostedZones(clients.route53);
  const identities = openIdentities(state.identities, clients.sesv2, zones, region);
  const suppression = openSuppressionList(state.suppressed);
  const account = openAccount(state.account, quotas);
  const metrics = mailMetrics(clients.cloudwatch, account, reportMail);
  const inbound = inboundMail({ identities, zones, region, metrics, undocumented, onMail: reportMail, ...clients });
  const outgoing = outgoingMail({ inbound, outbox, account, suppression, metrics, onMail: reportMail, sns: clients.sns });

  const askForVerification = (identity: Identity): void => {
    sendVerificationMail({ inbound, outbox, region, outboxPort: ports.outbox }, identity).catch((error: Error) =>
      reportMail({ kind: 'failed', from: '', to: [identity.name], reason: error.message }),
    );
  };
  const operations = [
    ...identityOperations({ identities, askForVerification }),
    ...suppressionOperations(suppression),
    ...accountOperations(account),
    ...sendOperations({ identities, account, outgoing, region, undocumented, configurationSets: configurationSetsFrom(clients.sesv2) }),
    undocumentedOperation(undocumented),
  ];
  const running = await startAll([
    () => startOutboxServer(ports.outbox, { outbox, confirmAddress: (token) => identities.confirm(token) }),
    () => startSesApi(ports.sesApi, emulator, operations, [bounceOperation({ identities, inbound, outbox, region, onMail: reportMail })]),
    () => startSmtpServer(ports.smtp, region, { ...inbound, onMail: reportMail }),
    ...(ports.relay === undefined ? [] : [() => startMailRelay(ports.relay!, region, { inbound, outbox, onMail: reportMail })]),
  ]);
  return {
    async stop() {
      await Promise.all(running.map((each) => each.stop()));
      await outgoing.settled();
      await metrics.settled();
      for (const client of Object.values(clients)) client.destroy();
    },
  };
};
