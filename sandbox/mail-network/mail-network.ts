import { join } from 'node:path';
import { S3Client } from '@aws-sdk/client-s3';
import { SESClient } from '@aws-sdk/client-ses';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { SNSClient } from '@aws-sdk/client-sns';
import { Route53Client } from '@aws-sdk/client-route-53';
import { zonesIn } from '../resolver/hosted-zones.ts';
import { accountIn, newAccount, type AppliedQuotas } from './sending/ses-account.ts';
import { accountOperations } from './ses-api/account-operations.ts';
import { configurationSetsOf } from './sending/configuration-sets.ts';
import { emulatorAccess } from '../aws-target.ts';
import { identitiesIn, type Identity } from './identities/email-identities.ts';
import { identityOperations } from './ses-api/identity-operations.ts';
import { inboundThrough } from './inbound/inbound-mail.ts';
import type { Listening } from '../loopback-server.ts';
import type { MailEvent } from './mail-event.ts';
import { openOutbox } from './outbox/outbox.ts';
import { startOutboxServer } from './outbox/outbox-server.ts';
import { outgoingThrough } from './sending/outgoing-mail.ts';
import { startRelay } from './inbound/mail-relay.ts';
import { sendOperations } from './ses-api/send-operation.ts';
import { startSesApi } from './ses-api/ses-api.ts';
import { startSmtpDoor } from './inbound/smtp-server.ts';
import { openStateFile } from '../state-file.ts';
import { suppressionListIn } from './sending/suppression-list.ts';
import { suppressionOperations } from './ses-api/suppression-operations.ts';
import { sendVerificationMail } from './identities/verification-mail.ts';

export type { MailEvent } from './mail-event.ts';

export type MailNetworkOptions = {
  /** All on 127.0.0.1. `relay`, when given, takes the mail that the emulator sends by itself. */
  readonly ports: { readonly smtp: number; readonly sesApi: number; readonly outbox: number; readonly relay?: number };
  /** The emulator's endpoint: S3, SNS, SES's receipt rules and configuration sets, Route 53. */
  readonly emulator: string;
  readonly region: string;
  /** Identities, suppression list, account and outbox are kept here. */
  readonly stateDirectory: string;
  /** What Service Quotas grants the account; without it, what a new account has. */
  readonly quotas?: AppliedQuotas;
  /** Told of each message, refusal and failure. */
  readonly onMail?: (event: MailEvent) => void;
};

const clientsOf = (access: ReturnType<typeof emulatorAccess>) => ({
  s3: new S3Client({ ...access, forcePathStyle: true }),
  sns: new SNSClient(access),
  ses: new SESClient(access),
  sesv2: new SESv2Client(access),
  route53: new Route53Client(access),
});

const openState = async (directory: string) => ({
  identities: await openStateFile<Record<string, Identity>>(join(directory, 'identities.json'), {}),
  suppressed: await openStateFile(join(directory, 'suppression-list.json'), {}),
  account: await openStateFile(join(directory, 'account.json'), { ...newAccount, sent: [] }),
  outbox: await openOutbox(join(directory, 'outbox')),
});

type Starting = () => Promise<Listening>;

/** Starts all or none: what listens already is stopped when another can't. */
const startAll = async (starting: readonly Starting[]): Promise<Listening[]> => {
  const running: Listening[] = [];
  try {
    for (const start of starting) running.push(await start());
    return running;
  } catch (error) {
    await Promise.all(running.map((each) => each.stop()));
    throw error;
  }
};

/**
 * What SES is to a deployment, around the emulator: an SMTP door for mail that comes in, SES API v2 for mail that goes out, and an outbox in which mail to the
 * rest of the world can be looked at. Resolves when it listens; `stop` waits for mail that is under way. Throws SandboxError for a port that is taken.
 */
export const startMailNetwork = async ({ ports, emulator: endpoint, region, stateDirectory, quotas, onMail }: MailNetworkOptions): Promise<{ stop(): Promise<void> }> => {
  const tell = onMail ?? (() => undefined);
  const emulator = { endpoint, region };
  const clients = clientsOf(emulatorAccess(emulator));
  const state = await openState(stateDirectory);
  const { outbox } = state;
  const identities = identitiesIn(state.identities, clients.sesv2, zonesIn(clients.route53), region);
  const suppression = suppressionListIn(state.suppressed);
  const account = accountIn(state.account, quotas);
  const inbound = inboundThrough({ identities, region, tell, ...clients });
  const outgoing = outgoingThrough({ inbound, outbox, account, suppression, tell, sns: clients.sns });

  const askForVerification = (identity: Identity): void => {
    sendVerificationMail({ inbound, outbox, region, outboxPort: ports.outbox }, identity)
      .catch((error: Error) => tell({ kind: 'failed', from: '', to: [identity.name], reason: error.message }));
  };
  const operations = [
    ...identityOperations({ identities, askForVerification }),
    ...suppressionOperations(suppression),
    ...accountOperations(account),
    ...sendOperations({ identities, account, outgoing, region, configurationSets: configurationSetsOf(clients.sesv2) }),
  ];
  const running = await startAll([
    () => startOutboxServer(ports.outbox, { outbox, confirmAddress: (token) => identities.confirm(token) }),
    () => startSesApi(ports.sesApi, emulator, operations),
    () => startSmtpDoor(ports.smtp, region, { ...inbound, tell }),
    ...(ports.relay === undefined ? [] : [() => startRelay(ports.relay!, region, { inbound, outbox, tell })]),
  ]);
  return {
    async stop() {
      await Promise.all(running.map((each) => each.stop()));
      await outgoing.settled();
      for (const client of Object.values(clients)) client.destroy();
    },
  };
};
