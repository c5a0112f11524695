import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { mboxrdOf } from '../cli/generated-mbox.ts';
import { documentedUploadWithJam } from '../support/documented-functions.ts';
import { JamClient } from '../support/jmap-jam.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { accessTokenOf } from './access-tokens.ts';
import { deployed, describeWith, sandboxUser } from './deployment.ts';
import { eventually } from './http-requests.ts';
import { jmapClient, openMailbox, type JmapClient } from './jmap-client.ts';
import { prepareJmapc, uploadByJmapc } from './jmapc/jmapc.ts';
import { mailProgram } from './mail-program.ts';
import { uniqueSubject } from './send-by-smtp.ts';
import { openWebPage } from './web-page.ts';

const run = promisify(execFile);
const sessionUrl = `${deployed.jmapUrl}/.well-known/jmap`;
const maxSizeUpload = 4_500_000;

/** Files that were refused or changed once, each with the type that its name has. An empty type is not sent. */
const files: readonly (readonly [name: string, type: string, octets: Buffer])[] = [
  ['latin-1.csv', 'text/csv', Buffer.from('Straße;München\r\n', 'latin1')],
  ['utf-16 with a byte order mark.txt', 'text/plain', Buffer.from('\uFEFFGrüße', 'utf16le')],
  ['utf-16.txt', 'text/plain', Buffer.from('Grüße', 'utf16le')],
  ['broken.xml', 'application/xml', Buffer.from('<a><b>\xff</a>', 'latin1')],
  ['no.json', 'application/json', Buffer.from([0x22, 0xc3, 0x28, 0x22])],
  ['replacement.txt', 'text/plain', Buffer.from('a\uFFFDb')],
  ['nul.txt', 'text/plain', Buffer.from('a\0b\0')],
  ['empty.txt', 'text/plain', Buffer.alloc(0)],
  ['no type', '', randomBytes(1000)],
  ['largest.bin', 'application/octet-stream', randomBytes(maxSizeUpload)],
];
const large = randomBytes(40_000_000);

describeWith('users', 'mail')('any file', () => {
  const folder = temporaryDirectory('file');
  const path = (name: string): string => folder('files', name);
  let alice: JmapClient;
  let token: string;
  let blobs: Map<string, string>;

  const curl = async (...args: readonly string[]): Promise<void> => {
    // A failed command is printed with its arguments, which must not have the token.
    await run('curl', ['--silent', '--show-error', '--fail', '-H', `@${folder('authorization')}`, ...args]);
  };
  const uploadByCurl = async (name: string, type: string): Promise<string> => {
    const fields = ['--data-binary', `@${path(name)}`, '-H', `Content-Type:${type && ` ${type}`}`];
    await curl(...fields, '-o', folder('answer.json'), alice.session.uploadUrl.replace('{accountId}', alice.accountId));
    return (JSON.parse(await readFile(folder('answer.json'), 'utf8')) as { blobId: string }).blobId;
  };
  const downloadUrl = (blobId: string): string =>
    Object.entries({ accountId: alice.accountId, blobId, type: 'application/octet-stream', name: 'x' }).reduce(
      (url, [name, value]) => url.replace(`{${name}}`, encodeURIComponent(value)),
      alice.session.downloadUrl,
    );

  beforeAll(async () => {
    token = await accessTokenOf('alice');
    alice = await jmapClient(token);
    await writeFile(folder('authorization'), `Authorization: Bearer ${token}`, { mode: 0o600 });
    await mkdir(folder('files'));
    for (const [name, , octets] of files) await writeFile(path(name), octets);
    blobs = new Map();
    for (const [name, type] of files) blobs.set(name, await uploadByCurl(name, type));
  });

  test.each(files)('%s, uploaded and downloaded by curl, has the same octets', async (name, _type, octets) => {
    await curl('-o', folder('downloaded'), downloadUrl(blobs.get(name)!));
    expect((await readFile(folder('downloaded'))).equals(octets)).toBe(true);
  });

  test('is the same blob when the library jmap-jam uploads it, which downloads the same octets', async () => {
    const client = new JamClient({ sessionUrl, bearerToken: token });
    for (const [name, type, octets] of files) {
      const { blobId } = await client.uploadBlob(alice.accountId, new Blob([Uint8Array.from(octets)], { type }));
      expect([name, blobId]).toEqual([name, blobs.get(name)]);
      const download = await client.downloadBlob({ accountId: alice.accountId, blobId, mimeType: type || 'application/octet-stream', fileName: name });
      expect(Buffer.from(await download.arrayBuffer()).equals(octets)).toBe(true);
    }
  });

  test('is the same blob when a person chooses it in a web page', async () => {
    const web = await openWebPage();
    await web.page.setContent('<input type="file" multiple>');
    await web.page.locator('input').setInputFiles(files.map(([name]) => path(name)));
    const uploaded = await web.page.locator('input').evaluate(
      async (input, { url, authorization }) => {
        const { files: chosen } = input as unknown as { readonly files: Iterable<File> };
        return Promise.all(
          [...chosen].map(async (file) => {
            const response = await fetch(url, { method: 'POST', headers: { authorization }, body: file });
            return [file.name, ((await response.json()) as { blobId: string }).blobId] as const;
          }),
        );
      },
      { url: alice.session.uploadUrl.replace('{accountId}', alice.accountId), authorization: `Bearer ${token}` },
    );
    await web.close();
    expect(new Map(uploaded)).toEqual(blobs);
  });

  test('of 40 MB is uploaded in pieces by the code of docs/clients.md with jmap-jam, and by jmapc, which also uploads the others', async () => {
    await prepareJmapc();
    const client = new JamClient({ sessionUrl, bearerToken: token });
    const whole = await documentedUploadWithJam(client, alice.accountId, new Blob([Uint8Array.from(large)]));
    await writeFile(path('large.bin'), large);
    const uploaded = await uploadByJmapc(sessionUrl, token, folder('files'), maxSizeUpload, 'large.bin');
    expect(uploaded).toEqual({ ...Object.fromEntries(blobs), 'large.bin': whole });
    await curl('-o', folder('downloaded'), downloadUrl(whole));
    expect((await readFile(folder('downloaded'))).equals(large)).toBe(true);
  });

  test('is imported in a message by postrider, and downloads with the same octets', async () => {
    const subject = uniqueSubject('Imported files');
    const attachments = files.map(([filename, contentType, content]) => ({ filename, content, ...(contentType && { contentType }) }));
    const { message } = await createTransport({ streamTransport: true, buffer: true, newline: 'unix' }).sendMail({
      from: sandboxUser('bob').email,
      to: sandboxUser('alice').email,
      subject,
      text: 'See the files.',
      attachments,
    });
    await writeFile(folder(`${subject}.mbox`), mboxrdOf([message as Buffer]));
    const postrider = mailProgram('alice', folder());
    expect(await postrider('login', '--server', deployed.jmapUrl)).toMatchObject({ code: 0 });
    expect(await postrider('import', folder(`${subject}.mbox`))).toMatchObject({ code: 0, err: '' });
    const [, found] = await alice.call(
      ['Email/query', { filter: { subject } }],
      ['Email/get', { '#ids': { resultOf: 'c0', name: 'Email/query', path: '/ids' }, properties: ['attachments'] }],
    );
    const parts = (found!['list'] as { attachments: { name: string; blobId: string }[] }[]).flatMap((email) => email.attachments);
    expect(parts.map(({ name }) => name)).toEqual(files.map(([name]) => name));
    for (const [index, [, , octets]] of files.entries()) {
      const download = await alice.download(parts[index]!.blobId);
      expect(Buffer.from(await download.arrayBuffer()).equals(octets)).toBe(true);
    }
  });

  test('is sent as an attachment, and arrives with the same octets, also one of 9 MB', async () => {
    const [subject, bob] = [uniqueSubject('Any file'), await jmapClient(await accessTokenOf('bob'))];
    const nine = large.subarray(0, 9_000_000);
    const client = new JamClient({ sessionUrl, bearerToken: token });
    const blobId = await documentedUploadWithJam(client, alice.accountId, new Blob([Uint8Array.from(nine)]));
    const attached = [
      ...files.map(([name, type, octets]) => ({ name, type, octets, blobId: blobs.get(name)! })),
      { name: 'nine.bin', type: '', octets: nine, blobId },
    ];
    const [mailboxes, identities] = await alice.call(['Mailbox/get', { ids: null }], ['Identity/get', { ids: null }]);
    const drafts = (mailboxes!['list'] as { id: string; role: string | null }[]).find(({ role }) => role === 'drafts')!.id;
    const [created, sent] = await alice.call(
      [
        'Email/set',
        {
          create: {
            draft: {
              mailboxIds: { [drafts]: true },
              from: [{ email: sandboxUser('alice').email }],
              to: [{ email: sandboxUser('bob').email }],
              subject,
              textBody: [{ partId: 'text', type: 'text/plain' }],
              bodyValues: { text: { value: 'See the files.' } },
              attachments: attached.map(({ name, type, blobId: id }) => ({
                blobId: id,
                name,
                type: type || 'application/octet-stream',
                disposition: 'attachment',
              })),
            },
          },
        },
      ],
      ['EmailSubmission/set', { create: { sending: { emailId: '#draft', identityId: (identities!['list'] as { id: string }[])[0]!.id } } }],
    );
    expect([created!['notCreated'], sent!['notCreated']]).toEqual([null, null]);
    const email = await eventually(async () => {
      const { emails } = await openMailbox(bob, 'inbox', ['subject', 'attachments']);
      const found = emails.find((each) => each.subject === subject);
      expect(found).toBeDefined();
      return found!;
    });
    const parts = email['attachments'] as { name: string; blobId: string }[];
    expect(parts.map(({ name }) => name)).toEqual(attached.map(({ name }) => name));
    for (const [index, { octets }] of attached.entries()) {
      const download = await bob.download(parts[index]!.blobId);
      expect(Buffer.from(await download.arrayBuffer()).equals(octets)).toBe(true);
    }
  });
});
