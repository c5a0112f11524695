import { accountBlobs } from '../../core/blobs/account-blobs.ts';
import { principalsIn } from '../../core/directory/users/principals.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { accessTokenVerifier } from '../../core/runtime/http/access-token.ts';
import { jmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { streamed } from '../../core/runtime/http/streamed.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { downloadSlots } from './download-slots.ts';
import { serveDownloads } from './serve-downloads.ts';

const jmapUrl = setting('jmapUrl');
const mailTable = dynamodbTable(setting('mailTable'));
const log = logFor('downloads');

export const handler = streamed(
  serveDownloads({
    gate: jmapGate(accessTokenVerifier(), jmapUrl),
    principals: principalsIn(dynamodbTable(setting('directoryTable'))),
    blobs: accountBlobs(mailTable, s3Objects(setting('mailBucket'))),
    slots: downloadSlots(mailTable, systemClock, log),
    jmapUrl,
    log,
  }),
);
