import type { APIGatewayProxyWebsocketEventV2 } from 'aws-lambda';
import { randomBytes } from 'node:crypto';
import { accessTokenVerifier } from '../../core/runtime/access-token.ts';
import { systemClock } from '../../core/runtime/clock.ts';
import { withinInvocation, type InvocationContext } from '../../core/runtime/remaining-time.ts';
import { setting, optionalSetting } from '../../core/runtime/settings.ts';
import type { HttpRequest, HttpResponse } from '../../core/runtime/http.ts';
import { jmapGate } from '../../core/runtime/jmap-gate.ts';
import { logFor } from '../../core/runtime/log.ts';
import { deriveVapidKey } from '../../core/push/vapid-key.ts';
import { apiGatewayWebSocketSender } from '../../core/aws/api-gateway/api-gateway-web-socket-sender.ts';
import { addressRule } from '../../core/push/public-address.ts';
import { sqsQueue } from '../../core/aws/sqs/sqs-queue.ts';
import { webSocketConnectionsIn } from '../../core/push/web-socket-connections.ts';
import { sendLimitsSetting } from '../../core/mail/account-send-limits.ts';
import { accountBlobs } from '../../core/mail/email/account-blobs.ts';
import { sendingRightsIn } from '../../core/directory/may-send.ts';
import { principalsIn } from '../../core/directory/principals.ts';
import { dynamodbTable } from '../../core/storage/dynamodb-table.ts';
import { messageStore } from '../../core/mail/email/message-store.ts';
import { emailSearch } from '../../core/mail/search/email-search.ts';
import { mailStore } from '../../core/mail/table-mail-store.ts';
import { quotaSetting } from '../../core/mail/quota/account-quota.ts';
import { submissionsIn } from '../../core/sending/submissions.ts';
import { submitQueueOver } from '../../core/sending/submit-queue.ts';
import { s3Objects } from '../../core/storage/s3-objects.ts';
import { storedSecret } from '../../core/storage/stored-secret.ts';
import type { JmapParts } from './answer-request.ts';
import { jmapHttpHandler } from './http.ts';
import { methods } from './methods.ts';
import { SeenMembers } from './opening-accounts.ts';
import { SessionStates } from './session.ts';
import { webPushTools } from './push-subscription/web-push-tools.ts';
import { webSocketMessageHandler, type WebSocketMessageResponse } from './web-socket/web-socket-message.ts';

const log = logFor('jmap');
const mailTable = dynamodbTable(setting('mailTable'));
const directory = dynamodbTable(setting('directoryTable'));
const objects = s3Objects(setting('mailBucket'));

const vapidSecret = storedSecret(mailTable, 'vapid');
const applicationServerKey = async () => deriveVapidKey(await vapidSecret()).publicKey;

const jmap: JmapParts = {
  principals: principalsIn(directory),
  seenMembers: new SeenMembers(),
  sessionStates: new SessionStates(),
  mailTable,
  tools: {
    store: mailStore({ table: mailTable, snapshots: { objects, log }, clock: systemClock }),
    search: emailSearch({ table: mailTable, objects, log, clock: systemClock }),
    objects,
    blobs: accountBlobs(mailTable, objects),
    messages: messageStore({ table: mailTable, objects, removals: sqsQueue(setting('accountRemovalQueueUrl')) }),
    quotaDefaults: quotaSetting(),
    webPush: webPushTools(mailTable, {
      queue: sqsQueue(setting('webPushQueueUrl')), isAllowedAddress: addressRule(optionalSetting('webPushNetworks')?.split(' ')),
      clock: systemClock,
    }),
    sending: {
      submissions: submissionsIn(dynamodbTable(setting('sendingTable'))), rights: sendingRightsIn(directory), objects,
      queue: submitQueueOver(sqsQueue(setting('submitQueueUrl'))), sendLimits: sendLimitsSetting(), log,
    },
    clock: systemClock,
    mailDomain: setting('mailDomain'),
    newId: () => `N${randomBytes(15).toString('base64url')}`,
  },
  methods,
  settings: { jmapUrl: setting('jmapUrl'), webSocketUrl: setting('webSocketUrl'), mailDomain: setting('mailDomain'), applicationServerKey },
  eventSourceQueueUrls: optionalSetting('eventSourceQueueUrls')?.split(' ') ?? [],
  clock: systemClock,
  log,
};

const answerHttp = jmapHttpHandler(jmap, jmapGate(accessTokenVerifier(), setting('jmapUrl')));
const answerMessage = webSocketMessageHandler({
  jmap, connections: webSocketConnectionsIn(mailTable), webSocketSender: apiGatewayWebSocketSender(setting('webSocketManagementUrl')),
  clock: systemClock,
});

const isMessage = (event: HttpRequest | APIGatewayProxyWebsocketEventV2): event is APIGatewayProxyWebsocketEventV2 =>
  'connectionId' in event.requestContext;

/** Handles HTTP requests of the JMAP API, and messages of the WebSocket API's $default route. */
export const handler = (
  event: HttpRequest | APIGatewayProxyWebsocketEventV2, context: InvocationContext,
): Promise<HttpResponse | WebSocketMessageResponse> =>
  withinInvocation<HttpResponse | WebSocketMessageResponse>(context, () => (isMessage(event) ? answerMessage(event) : answerHttp(event)));
