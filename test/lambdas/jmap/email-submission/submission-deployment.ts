import type { SendLimits } from '../../../../contract/deployment/sending.ts';
import { submissionsIn } from '../../../../core/sending/submission/submissions.ts';
import { perTest } from '../../../support/per-test.ts';
import { jmapDeployment, type Json, type MailOptions } from '../jmap-deployment.ts';

const using = ['urn:ietf:params:jmap:mail', 'urn:ietf:params:jmap:submission', 'urn:ietf:params:jmap:contacts'];

const message = (fields: readonly string[]) =>
  [...fields, 'Subject: Plan', 'Message-ID: <plan@example.test>', 'Date: Sat, 21 Nov 2026 08:00:00 +0000', 'MIME-Version: 1.0', '', 'Hello', ''].join('\n');

/** The fields of a message that Alice may send. */
export const aliceToBob = ['From: Alice <alice@example.test>', 'To: Bob <bob@example.net>'];

/** The JMAP Lambda with an Email in Alice's account for each test to send. */
export const submissionDeployment = async (parts: { readonly sendLimits?: SendLimits } = {}) => {
  const deployment = await jmapDeployment(parts);
  const submissions = submissionsIn(deployment.sending);
  const call = (name: string, args: Json = {}, token = 'alice') => deployment.call(name, args, { token, using });
  const perform = (calls: readonly (readonly [string, Json])[], token = 'alice') =>
    deployment.perform(
      calls.map(([name, args], index) => [name, { accountId: 'acc_alice', ...args }, `c${index}`]),
      { token, using },
    );
  /** Adds an Email with these header fields; returns its id. */
  const draft = (fields: readonly string[] = aliceToBob, options: MailOptions = {}) => deployment.deliver({ raw: message(fields), ...options });
  /** The arguments of an EmailSubmission/set that creates one, as `s`. */
  const creating = (emailId: string, properties: Json = {}): Json => ({ create: { s: { identityId: 'alias_alice', emailId, ...properties } } });
  const create = async (emailId: string, properties: Json = {}): Promise<Json> => call('EmailSubmission/set', creating(emailId, properties));
  /** Sends an Email; returns the properties that the server set. @throws Error when it is refused. */
  const send = async (emailId: string, properties: Json = {}): Promise<Json> => {
    const response = await create(emailId, properties);
    if (!response['created']) throw new Error(JSON.stringify(response));
    return (response['created'] as Json)['s'] as Json;
  };
  /** The set error of a refused create. @throws Error when the create succeeds. */
  const refusal = async (emailId: string, properties: Json = {}): Promise<Json> => {
    const response = await create(emailId, properties);
    if (!response['notCreated']) throw new Error(JSON.stringify(response));
    return (response['notCreated'] as Json)['s'] as Json;
  };
  const get = async (id: string): Promise<Json> => ((await call('EmailSubmission/get', { ids: [id] }))['list'] as Json[])[0]!;
  const state = async () => (await call('EmailSubmission/get', { ids: [] }))['state'] as string;
  /** All data that a refused create must not change. */
  const everything = async () => [
    await state(),
    deployment.submits.waiting,
    await deployment.sending.query({ pk: 'outbox' }),
    await deployment.objects.list('outgoing/'),
  ];
  /** The message that SES receives, in its wire form. */
  const outgoing = async (id: string): Promise<string> => (await deployment.objects.get(`outgoing/acc_alice/${id}`))!.bytes.toString();
  return { ...deployment, submissions, call, perform, draft, creating, create, send, refusal, get, state, everything, outgoing, using };
};

export type SubmissionDeployment = Awaited<ReturnType<typeof submissionDeployment>>;

/** An envelope from Alice to these addresses. */
export const envelopeTo = (emails: readonly string[], parameters: Json | null = null): Json => ({
  envelope: { mailFrom: { email: 'alice@example.test', parameters }, rcptTo: emails.map((email) => ({ email, parameters: null })) },
});

/** {@link submissionDeployment}, created anew for each test. */
export const submissionDeploymentPerTest = (parts?: Parameters<typeof submissionDeployment>[0]): SubmissionDeployment =>
  perTest(() => submissionDeployment(parts));
