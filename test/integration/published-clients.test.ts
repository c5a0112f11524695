import { jmapClientTs } from '../support/jmap-client-ts.ts';
import { JamClient } from '../support/jmap-jam.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { bearer, eventually } from './http-requests.ts';
import { jmapClient } from './jmap-client.ts';
import { rawMessagesTo } from './outbox.ts';
import { sendMail, uniqueSubject } from './send-by-smtp.ts';

type Json = Record<string, unknown>;

/** The actions of a mail client, by the methods of a published library. */
type MailClient = {
  readonly accountId: string;
  readonly get: (type: 'Email' | 'EmailSubmission' | 'Mailbox', args: Json) => Promise<readonly Json[]>;
  readonly query: (args: Json) => Promise<readonly string[]>;
  readonly set: (args: Json) => Promise<Json>;
  /** The id of alice's Identity. */
  readonly identityId: () => Promise<string>;
  /** Calls EmailSubmission/set. The libraries return one of its two responses. */
  readonly submit: (args: Json) => Promise<unknown>;
  /** Uploads an attachment. @returns its blob id. */
  readonly upload: (content: string, type: string) => Promise<string>;
};

const onlyOf = <T>(list: readonly T[]): T => {
  expect(list).toHaveLength(1);
  return list[0]!;
};

const sessionUrl = `${deployed.jmapUrl}/.well-known/jmap`;

const jamClient = async (): Promise<MailClient> => {
  const client = new JamClient({ sessionUrl, bearerToken: await accessTokenOf('alice') });
  const accountId = await client.getPrimaryAccount();
  return {
    accountId,
    get: async (type, args) => (await client.api[type].get({ accountId, ...args }))[0].list,
    query: async (args) => (await client.api.Email.query({ accountId, ...args }))[0].ids,
    set: async (args) => (await client.api.Email.set({ accountId, ...args }))[0],
    identityId: async () => onlyOf((await client.api.Identity.get({ accountId, ids: null }))[0].list).id,
    submit: (args) => client.api.EmailSubmission.set({ accountId, ...args }),
    upload: async (content, type) => (await client.uploadBlob(accountId, new Blob([content], { type }))).blobId,
  };
};

/** The methods of jmap-client-ts for getting records. */
const getters = { Email: 'email_get', EmailSubmission: 'emailSubmission_get', Mailbox: 'mailbox_get' } as const;

const tsClient = async (): Promise<MailClient> => {
  const token = await accessTokenOf('alice');
  const client = await jmapClientTs(sessionUrl, token);
  const accountId = client.getFirstAccountId();
  const { uploadUrl } = client.getSession();
  const argumentsFor = (args: Json) => ({ accountId: null, ...args }) as never;
  return {
    accountId,
    get: async (type, args) => {
      const { list } = await client[getters[type]](argumentsFor(args));
      return list as unknown as readonly Json[];
    },
    query: async (args) => (await client.email_query(argumentsFor(args))).ids,
    set: async (args) => (await client.email_set(argumentsFor(args))) as unknown as Json,
    // Nor has it Identity/get.
    identityId: async () => {
      const [identities] = await (await jmapClient(token)).call(['Identity/get', { ids: null }]);
      return onlyOf(identities!['list'] as { id: string }[]).id;
    },
    submit: (args) => client.emailSubmission_set(argumentsFor(args)),
    // The library has no uploads.
    upload: async (content, type) => {
      const url = uploadUrl.replace('{accountId}', accountId);
      const response = await fetch(url, { method: 'POST', body: content, headers: { ...bearer(token), 'content-type': type } });
      return ((await response.json()) as { blobId: string }).blobId;
    },
  };
};

const describeLibrary = (library: string, open: () => Promise<MailClient>): void => {
  describeWith('users', 'mail')(`the published client library ${library}`, () => {
    let client: MailClient;
    let mailboxes: Record<string, string>;
    const emailsFound = async (filter: Json): Promise<readonly string[]> => client.query({ filter, sort: [{ property: 'receivedAt' }] });
    const propertiesOf = async (id: string, ...properties: string[]): Promise<Json> => onlyOf(await client.get('Email', { ids: [id], properties }));

    beforeAll(async () => {
      client = await open();
      const list = await client.get('Mailbox', { ids: null });
      mailboxes = Object.fromEntries(list.filter(({ role }) => role !== null).map(({ id, role }) => [role, id])) as Record<string, string>;
    });

    test('finds a message by its words, reads, flags and moves it', async () => {
      const [subject, word] = [uniqueSubject('Published'), `word${Math.random().toString(36).slice(2)}`];
      await sendMail([sandboxUser('alice').email], { subject, text: `A text with ${word} in it.` });
      const id = await eventually(async () => onlyOf(await emailsFound({ text: word })));
      expect(await emailsFound({ inMailbox: mailboxes['inbox'], subject })).toEqual([id]);
      expect(await client.get('Email', { ids: [id], properties: ['subject', 'textBody', 'bodyValues'], fetchTextBodyValues: true })).toMatchObject([
        { subject, bodyValues: { 1: { value: expect.stringContaining(word) } } },
      ]);
      await client.set({ update: { [id]: { 'keywords/$flagged': true, 'keywords/$seen': true } } });
      await client.set({ update: { [id]: { mailboxIds: { [mailboxes['archive']!]: true } } } });
      expect(await propertiesOf(id, 'keywords', 'mailboxIds')).toMatchObject({
        keywords: { $flagged: true, $seen: true },
        mailboxIds: { [mailboxes['archive']!]: true },
      });
      expect(await emailsFound({ inMailbox: mailboxes['archive'], hasKeyword: '$flagged', text: word })).toEqual([id]);
    });

    test('saves a draft with an attachment, and deletes it', async () => {
      const [subject, content] = [uniqueSubject('Draft'), 'a,b\n1,2\n'];
      const blobId = await client.upload(content, 'text/csv');
      const { created } = (await client.set({
        create: {
          draft: {
            mailboxIds: { [mailboxes['drafts']!]: true },
            keywords: { $draft: true, $seen: true },
            from: [{ name: 'Alice', email: sandboxUser('alice').email }],
            to: [{ name: 'Jürgen', email: 'juergen@example.net' }],
            subject,
            textBody: [{ partId: 'text', type: 'text/plain' }],
            bodyValues: { text: { value: 'The figures are attached.\n' } },
            attachments: [{ blobId, type: 'text/csv', name: 'Zahlen für Jürgen.csv', disposition: 'attachment' }],
          },
        },
      })) as { created: { draft: { id: string } } };
      const { id } = created.draft;
      expect(await propertiesOf(id, 'subject', 'to', 'hasAttachment', 'attachments')).toMatchObject({
        subject,
        to: [{ name: 'Jürgen', email: 'juergen@example.net' }],
        hasAttachment: true,
        attachments: [{ name: 'Zahlen für Jürgen.csv', type: 'text/csv', size: content.length }],
      });
      expect(await client.set({ destroy: [id] })).toMatchObject({ destroyed: [id] });
      expect(await client.get('Email', { ids: [id] })).toEqual([]);
    });

    test('forwards the attachments of a message as it read them', async () => {
      const [subject, content] = [uniqueSubject('Attached'), 'a,b\n1,2\n'];
      await sendMail([sandboxUser('alice').email], { subject, text: 'See the file.', attachments: [{ filename: 'Zahlen für alle.csv', content }] });
      const original = await eventually(async () => onlyOf(await emailsFound({ inMailbox: mailboxes['inbox'], subject })));
      const { attachments } = await propertiesOf(original, 'attachments');
      const { created } = (await client.set({
        create: {
          forward: {
            mailboxIds: { [mailboxes['drafts']!]: true },
            subject: `Fwd: ${subject}`,
            attachments,
            textBody: [{ partId: 'forward', type: 'text/plain' }],
            bodyValues: { forward: { value: 'For your information.' } },
          },
        },
      })) as { created: { forward: { id: string } } };
      expect(await propertiesOf(created.forward.id, 'attachments')).toMatchObject({
        attachments: [{ name: 'Zahlen für alle.csv', type: 'text/csv', size: content.length }],
      });
    });

    test('sends a draft, and reads that it was delivered', async () => {
      const [subject, { email }, to] = [uniqueSubject('Sent'), sandboxUser('alice'), 'carol@elsewhere.test'];
      const [drafts, sent, identityId] = [mailboxes['drafts']!, mailboxes['sent']!, await client.identityId()];
      const { created } = (await client.set({
        create: {
          draft: {
            mailboxIds: { [drafts]: true },
            keywords: { $draft: true, $seen: true },
            from: [{ email }],
            to: [{ email: to }],
            bcc: [{ email: sandboxUser('bob').email }],
            subject,
            textBody: [{ partId: 'text', type: 'text/plain' }],
            bodyValues: { text: { value: 'Hello' } },
          },
        },
      })) as { created: { draft: { id: string } } };
      const { id } = created.draft;
      await client.submit({
        create: { sending: { emailId: id, identityId } },
        onSuccessUpdateEmail: { '#sending': { mailboxIds: { [sent]: true }, 'keywords/$draft': null } },
      });
      expect(await propertiesOf(id, 'keywords', 'mailboxIds', 'bcc')).toEqual({
        id,
        keywords: { $seen: true },
        mailboxIds: { [sent]: true },
        bcc: [{ name: null, email: sandboxUser('bob').email }],
      });
      await eventually(async () => {
        const submission = (await client.get('EmailSubmission', { ids: null })).find(({ emailId }) => emailId === id);
        expect(submission).toMatchObject({
          undoStatus: 'final',
          deliveryStatus: { [to]: { delivered: 'yes' }, [sandboxUser('bob').email]: { delivered: 'yes' } },
        });
      }, 200);
      const [raw] = await rawMessagesTo([to], subject);
      expect(raw).not.toContain(sandboxUser('bob').email);
    });
  });
};

describeLibrary('jmap-jam', jamClient);
describeLibrary('jmap-client-ts', tsClient);
