import { columns } from '../admin/help.ts';

const serverOptions = [
  ['--account ACCOUNT', 'the account: an address from which it sends, its name or its id; without it, your own'],
  ['--server URL', 'the server: https://jmap.example.com; without it, the one of the last login'],
  ['--outputs FILE', "the server: a file with the stack's outputs (cdk deploy --outputs-file FILE)"],
] as const;

const environmentText = `Environment: POSTRIDER_JMAP_URL or POSTRIDER_OUTPUTS name the server; POSTRIDER_CLIENT_ID and POSTRIDER_CLIENT_SECRET sign in as a
headless client, POSTRIDER_TOKEN is a token.`;

export const mailHelp = `Moves mail into and out of an account of a Postrider deployment.

  postrider login --server URL                        sign in through the browser; see login --help
  postrider logout                                    delete the tokens and revoke them
  postrider token                                     print an access token, for a mail program in the terminal
  postrider import --account ACCOUNT SOURCE           add the messages of a source to an account; see import --help
  postrider export --account ACCOUNT --to DIRECTORY   write an account's messages to files; see export --help

${environmentText}

Exit codes: 0 success, 1 refused or not reachable, 2 wrong command line, 3 not signed in, 4 some messages were not imported, 130 interrupted.`;

export const mailLoginHelp = `Signs in with the browser and stores the server for later calls.

  postrider login --server URL

${columns([
  ['--server URL', 'the server: https://jmap.example.com'],
  ['--outputs FILE', "the server: a file with the stack's outputs"],
  ['--client-id ID', 'the OAuth client; without it, the command line registers itself'],
  ['--no-browser', 'only print the URL of the sign-in page'],
])}

Without options it signs in to the stored server again.`;

export const importHelp = `Adds the messages of a source to an account, with their folders, flags and dates. Nothing in the source is changed.

  postrider import --account ACCOUNT SOURCE

SOURCE is one of these:
${columns([
  ['FILE', 'an mbox, a zip with messages or mboxes, or one message'],
  ['DIRECTORY', 'a maildir, or folders with messages, mboxes, maildirs and mailboxes of Apple Mail'],
  ['s3://BUCKET/KEY', 'a zip or an mbox on S3, such as an export of Amazon WorkMail; read with your AWS credentials'],
  ['FILE.vcf', 'contacts: vCards of version 2.1, 3 or 4, added to the default address book'],
  ['imaps://USER@HOST', 'an IMAP server, all folders; imaps://USER@HOST/FOLDER reads one'],
])}

Options:
${columns([
  ...serverOptions,
  ['--dry-run', 'read everything, say what an import would do, and change nothing'],
  ['--folder FROM=TO', 'put a folder elsewhere; an empty TO leaves it out; may be repeated'],
  ['--mbox-quoting HOW', 'mboxrd (default), mboxo, or none: how the mbox quotes lines that begin with From'],
  ['--again', 'also add messages that an earlier import added, and that were deleted since'],
  ['--as-admin', "import into anybody's account: the headless client of the environment is a member while the import runs"],
  ['--report FILE', 'where to list messages that were not imported'],
])}

A message that the account has is not added again. An import that ended early continues when the same command runs again.

Environment: POSTRIDER_IMAP_PASSWORD, or POSTRIDER_IMAP_TOKEN with an OAuth token, sign in to the IMAP server; without them the
password is asked for. ${environmentText.replace('Environment: ', '')}`;

export const exportHelp = `Writes the messages of an account to files, octet for octet, with their folders, flags and dates.

  postrider export --account ACCOUNT --to DIRECTORY
  postrider export --account ACCOUNT --to FILE.mbox
  postrider export --account ACCOUNT --to FILE.vcf

${columns([
  ...serverOptions,
  ['--to DIRECTORY', 'a folder, which gets an mbox or a maildir for each mailbox'],
  ['--to FILE.mbox', 'one mbox with each message once'],
  ['--to FILE.vcf', 'the contacts as vCards, with their photos'],
  ['--vcard-version VERSION', '4.0 (default) or 3.0'],
  ['--format FORMAT', "mbox (mboxrd, default) or maildir (with Dovecot's folders and keywords)"],
])}

An export that ended early continues when the same command runs again. A later one adds what is new.

${environmentText}`;
