import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { apiGatewayWebSocketSender } from '../../core/aws/api-gateway-web-socket-sender.ts';
import { sqsQueue } from '../../core/aws/sqs-queue.ts';
import { accountBlobs } from '../../core/blobs/account-blobs.ts';
import { cardMedia } from '../../core/blobs/card-media.ts';
import { messageStore } from '../../core/blobs/message-store.ts';
import { uploadedOctetsIn } from '../../core/blobs/uploaded-octets.ts';
import { sendingRightsIn } from '../../core/directory/aliases/may-send.ts';
import { principalsIn } from '../../core/directory/users/principals.ts';
import { sendLimitsSetting } from '../../core/mail/account-send-limits.ts';
import { mailStore } from '../../core/mail/mail-store/table-mail-store.ts';
import { quotaSetting } from '../../core/mail/quota/account-quota.ts';
import { addressRule } from '../../core/push/web-push/public-address.ts';
import { deriveVapidKey } from '../../core/push/web-push/vapid-key.ts';
import { webSocketConnectionsIn } from '../../core/push/web-socket/web-socket-connections.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { accessTokenVerifier } from '../../core/runtime/http/access-token.ts';
import type { HttpRequest, HttpResponse } from '../../core/runtime/http/http.ts';
import { jmapGate } from '../../core/runtime/http/jmap-gate.ts';
import { invoked, withinInvocation, type InvocationContext } from '../../core/runtime/invocation.ts';
import { recoverableSecondsSetting, optionalSetting, setting } from '../../core/runtime/lambda/settings.ts';
import { logFor } from '../../core/runtime/log.ts';
import { emailSearch } from '../../core/search/email-search.ts';
import { submissionsIn } from '../../core/sending/submission/submissions.ts';
import { submitQueueOver } from '../../core/sending/submission/submit-queue.ts';
import { dynamodbTable } from '../../core/storage/dynamodb/dynamodb-table.ts';
import { s3Objects } from '../../core/storage/s3/s3-objects.ts';
import { storedSecret } from '../../core/storage/stored-secret.ts';
import { methods } from './methods.ts';
import type { JmapDependencies } from './request/answer-request.ts';
import { SeenMembers } from './request/opening-accounts.ts';
import { forwardingDependencies, webPushDependencies } from './request/request-context.ts';
import { SessionStates } from './request/session-resource.ts';
import { jmapHttpHandler } from './serve-http.ts';
import { webSocketMessageHandler, type WebSocketMessageResponse } from './web-socket/web-socket-message.ts';

const log = logFor('jmap');
const mailTable = dynamodbTable(setting('mailTable'));
const directory = dynamodbTable(setting('directoryTable'));
const objects = s3Objects(setting('mailBucket'));

const mayForwardOutside = setting('forwardOutside') === 'true';
const removals = sqsQueue(setting('mailCleanupQueueUrl'));

const vapidSecret = storedSecret(mailTable, 'vapid');
const applicationServerKey = async () => deriveVapidKey(await vapidSecret()).publicKey;

const jmap: JmapDependencies = {
  principals: principalsIn(directory),
  seenMembers: new SeenMembers(),
  sessionStates: new SessionStates(),
  mailTable,
  dependencies: {
    store: mailStore({ table: mailTable, snapshots: { objects, log }, recoverableSeconds: recoverableSecondsSetting(), clock: systemClock }),
    search: emailSearch({ table: mailTable, objects, log, clock: systemClock }),
    objects,
    blobs: accountBlobs(mailTable, objects),
    messages: messageStore({ table: mailTable, objects, removals }),
    cardMedia: cardMedia({ objects, removals }),
    unparsedMessages: { mailTable, clock: systemClock, log },
    uploadedOctets: uploadedOctetsIn(mailTable, quotaSetting(), systemClock),
    quotaDefaults: quotaSetting(),
    webPush: webPushDependencies(mailTable, {
      queue: sqsQueue(setting('pushDeliveryQueueUrl')),
      isAllowedAddress: addressRule(optionalSetting('webPushNetworks')?.split(' ')),
      clock: systemClock,
    }),
    sending: {
      submissions: submissionsIn(dynamodbTable(setting('sendingTable'))),
      rights: sendingRightsIn(directory),
      objects,
      queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))),
      sendLimits: sendLimitsSetting(),
      log,
    },
    forwarding: forwardingDependencies(directory, { queue: sqsQueue(setting('inboundQueueUrl')), mayForwardOutside }),
    clock: systemClock,
    mailDomain: setting('mailDomain'),
    newId: () => `N${randomBytes(15).toString('base64url')}`,
  },
  methods,
  settings: {
    jmapUrl: setting('jmapUrl'),
    uploadUrl: setting('uploadUrl'),
    downloadUrl: setting('downloadUrl'),
    webSocketUrl: setting('webSocketUrl'),
    mailDomain: setting('mailDomain'),
    mayForwardOutside,
    applicationServerKey,
  },
  eventSourceQueueUrls: optionalSetting('eventSourceQueueUrls')?.split(' ') ?? [],
  clock: systemClock,
  log,
};

const answerHttp = jmapHttpHandler(jmap, jmapGate(accessTokenVerifier(), setting('jmapUrl')));
const answerMessage = webSocketMessageHandler({
  jmap,
  connections: webSocketConnectionsIn(mailTable),
  webSocketSender: apiGatewayWebSocketSender(setting('webSocketManagementUrl')),
  clock: systemClock,
});

const isMessage = (event: HttpRequest | APIGatewayProxyWebsocketEventV2): event is APIGatewayProxyWebsocketEventV2 => 'connectionId' in event.requestContext;

/** Handles HTTP requests of the JMAP API, and messages of the WebSocket API's $default route. */
export const handler = invoked(
  (event: HttpRequest | APIGatewayProxyWebsocketEventV2, context: InvocationContext): Promise<HttpResponse | WebSocketMessageResponse> =>
    withinInvocation<HttpResponse | WebSocketMessageResponse>(context, () => (isMessage(event) ? answerMessage(event) : answerHttp(event))),
);
