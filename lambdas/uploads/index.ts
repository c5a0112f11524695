import { uploadedOctetsIn } from '../../core/blobs/uploaded-octets.ts';
import { principalsIn } from '../../core/directory/users/principals.ts';
import { quotaSetting } from '../../core/mail/quota/account-quota.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { accessTokenVerifier } from '../../core/runtime/http/access-token.ts';
import { jmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { invoked } from '../../core/runtime/invocation.ts';
import { setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { serveUploads } from './serve-uploads.ts';

const jmapUrl = setting('jmapUrl');

export const handler = invoked(
  serveUploads({
    gate: jmapGate(accessTokenVerifier(), jmapUrl),
    principals: principalsIn(dynamodbTable(setting('directoryTable'))),
    objects: s3Objects(setting('mailBucket')),
    uploadedOctets: uploadedOctetsIn(dynamodbTable(setting('mailTable')), quotaSetting(), systemClock),
    clock: systemClock,
    jmapUrl,
    log: logFor('uploads'),
  }),
);
