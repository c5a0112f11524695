import { ownClientRefreshDays, temporaryPasswordDays } from '../../contract/oauth/oauth.ts';
import { maxConnectionAge } from '../../contract/jmap/web-socket.ts';
import { maxRecipientsPerSend, submissionRetentionDays } from '../../contract/deployment/sending.ts';
import { retries as socketCalls } from '../../core/aws/api-gateway/api-gateway-web-socket-sender.ts';
import { tombstoneSeconds } from '../../core/mail-types/email/email-content.ts';
import { logRetentionDays } from '../../core/account-log/log/log-trim.ts';
import { maxReplay } from '../../core/account-log/log/log-trim.ts';
import { maxHeldOctetsOfAccount } from '../../core/search/email-search.ts';
import { maxDocuments } from '../../core/search/segment-format/segment-file.ts';
import { snapshotBounds } from '../../core/account-index/snapshot/snapshot-name.ts';
import { socketRetryWaits } from '../../core/push/sockets/socket-retry.ts';
import { maxUnanswered, providerRetryPeriod, unconfirmedTimeout } from '../../lambdas/submit/submit-part.ts';
import { textOf } from './sources.ts';

const [minute, hour, day] = [60, 3600, 86_400];
const words: { readonly [word: string]: number } = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, ten: 10 };

const numberOf = (text: string): number => words[text] ?? Number(text.replaceAll(',', ''));

type Figure = readonly [path: string, sentence: string, values: readonly number[]];

/** Sentences of documents, with `#` instead of each figure, and the figures in the code. */
const figures: readonly Figure[] = [
  ['docs/architecture.md', 'accounts up to # MB', [maxHeldOctetsOfAccount / 1024 ** 2]],
  ['docs/architecture.md', 'a snapshot when # KB of log or # commits follow', [snapshotBounds.logBytes / 1024, snapshotBounds.commits]],
  ['docs/architecture.md', 'log items that are older than # days', [logRetentionDays]],
  ['docs/architecture.md', 'the words of up to # Emails each', [maxDocuments]],
  ['docs/architecture.md', 'a part for each # recipients', [maxRecipientsPerSend]],
  ['docs/architecture.md', 'removes submissions # days after they were sent', [submissionRetentionDays]],
  ['docs/architecture.md', 'its outbox entry # minutes later', [unconfirmedTimeout / 1000 / minute]],
  ['docs/architecture.md', 'without one for # minutes the part is sent again', [unconfirmedTimeout / 1000 / minute]],
  ['docs/architecture.md', 'After # attempts without an answer the part fails', [maxUnanswered]],
  ['docs/architecture.md', 'after # hours their recipients fail', [providerRetryPeriod / 1000 / hour]],
  ['docs/architecture.md', 'up to # calls within half a second', [socketCalls.attempts]],
  ['docs/architecture.md', 'from a queue after # to # seconds', [socketRetryWaits.first, socketRetryWaits.longest]],
  ['docs/architecture.md', 'for up to # hours; no socket is older', [maxConnectionAge / hour]],
  ['docs/specification.md', 'more than # commits back', [maxReplay]],
  ['docs/specification.md', 'than the log (# days)', [logRetentionDays]],
  ['docs/specification.md', 'stays known for # days', [tombstoneSeconds / day]],
  ['docs/specification.md', 'with the token, after # hours at most', [maxConnectionAge / hour]],
  ['docs/specification.md', 'of them end # days after the sign-in', [ownClientRefreshDays]],
  ['docs/specification.md', 'temporary password is valid for # days', [temporaryPasswordDays]],
  ['docs/specification.md', 'kept for # days after `send_at`', [submissionRetentionDays]],
  ['docs/clients.md', 'All refresh tokens end # days after the person signed in', [ownClientRefreshDays]],
  ['docs/clients.md', 'API Gateway closes a socket after 10 minutes without a frame and after # hours', [maxConnectionAge / hour]],
  ['docs/operator-runbook.md', 'a notification is retried for # hours', [maxConnectionAge / hour]],
  ['docs/operator-runbook.md', 'Notifications older than # hours become dead letters', [maxConnectionAge / hour]],
  ['docs/glossary.md', 'What stays of a destroyed Email for # days', [tombstoneSeconds / day]],
  ['docs/glossary.md', 'The # days for which a submission is kept', [submissionRetentionDays]],
];

test.each(figures)('%s has the figure of the code: %s', (path, sentence, values) => {
  const pattern = sentence.split('#').map((part) => part.replaceAll(/[$()*+.?[\]\\^{|}]/g, '\\$&')).join('([\\w,]+)');
  const [found, ...others] = [...textOf(path).replaceAll(/\s+/g, ' ').matchAll(new RegExp(pattern, 'g'))];
  expect([found?.slice(1).map(numberOf), others]).toEqual([values, []]);
});
