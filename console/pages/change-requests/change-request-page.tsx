import { Alert, Box, Button, Container, Header, Link, Skeleton, SpaceBetween, Steps } from '@cloudscape-design/components';
import { useParams } from 'react-router';
import { requestPayloads } from '../../../contract/admin/change-requests.ts';
import type { StateLook } from '../../../contract/words/state-words.ts';
import { useAdminQuery } from '../../api/admin-api.tsx';
import { usePagedList } from '../../api/use-list.ts';
import type { PageDefinition } from '../../page/page-definition.ts';
import { DialogButton, FormDialog } from '../../parts/forms/form-dialog.tsx';
import { requestFields } from '../../parts/forms/form-fields.ts';
import { MethodForm } from '../../parts/forms/method-form.tsx';
import { Details, type Detail } from '../../parts/text/details.tsx';
import { FailedRead } from '../../parts/text/error-text.tsx';
import { PlainText } from '../../parts/text/plain-text.tsx';
import { DetailedTime, Time } from '../../parts/text/time.tsx';
import { Copyable, StateLabel } from '../../parts/text/values.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { fieldWords } from '../../words/fields.ts';
import { changeRequestWords } from '../../words/pages/operations.ts';
import { stateWords } from '../../words/states.ts';
import { words } from '../../words/words.ts';
import { changeRequestEvents } from './change-request-events.ts';
import type { ChangeRequest } from './change-requests-page.tsx';
import { payloadFields } from './create-change-request-page.tsx';

export const page: PageDefinition = {
  path: '/change-requests/:requestId',
  title: changeRequestWords.details,
  parent: '/change-requests',
  methods: { 'change-requests': ['GetChangeRequest', 'ListChangeRequestEvents', 'ProvideChangeRequestInfo', 'CancelChangeRequest'] },
};

/** Statuses after which nothing changes any more. */
const endStatuses = ['SUCCEEDED', 'REJECTED', 'FAILED', 'CANCELED'];

const allFields = requestFields('change-requests', 'ProvideChangeRequestInfo');

/** A text of the API with the labels of the form in place of the paths of fields. */
const withLabels = (text: string): string => allFields.reduce((known, { path, name }) => known.replaceAll(path, `“${fieldWords.of(name).label}”`), text);

const alertOf = (look: StateLook): 'success' | 'warning' | 'error' | 'info' => (look === 'success' || look === 'warning' || look === 'error' ? look : 'info');

const payloadDetails = (request: ChangeRequest): Detail[] =>
  Object.entries(request[requestPayloads[request.type].name] ?? {}).map(([name, value]) => ({
    label: fieldWords.of(name).label,
    value: typeof value === 'number' ? value.toLocaleString() : value,
  }));

const EventDetails = ({ message, details }: { readonly message: string | undefined; readonly details: { readonly [name: string]: string } }) => (
  <>
    {message !== undefined && <PlainText text={withLabels(message)} />}
    {Object.entries(details).map(([name, value]) => (
      <div key={name}>
        {fieldWords.of(name).label}: <PlainText text={withLabels(value)} />
      </div>
    ))}
  </>
);

/** The events of a request, oldest first. */
const Timeline = ({ requestId }: { readonly requestId: string }) => {
  const { items, error, isReading, refresh, readMore } = usePagedList(
    'change-requests',
    'ListChangeRequestEvents',
    { request_id: requestId },
    ({ events }) => events,
  );
  return (
    <Container header={<Header variant="h2">{changeRequestWords.timeline}</Header>}>
      <SpaceBetween size="m">
        {error ? <FailedRead error={error} onRetry={refresh} /> : null}
        {items === undefined && !error && <Skeleton width="60%" />}
        {items?.length === 0 && <Box>{changeRequestWords.noEvents}</Box>}
        {items && items.length > 0 && (
          <Steps
            ariaLabel={changeRequestWords.timeline}
            steps={items.map(({ at, kind, message, details }) => ({
              status: changeRequestEvents[kind].look,
              header: (
                <>
                  {changeRequestEvents[kind].label} · <Time at={at} isPrecise />
                </>
              ),
              details: (message !== undefined || Object.keys(details).length > 0) && <EventDetails message={message} details={details} />,
            }))}
          />
        )}
        {readMore && (
          <Button loading={isReading} onClick={readMore}>
            {words.list.more}
          </Button>
        )}
      </SpaceBetween>
    </Container>
  );
};

/** Cancels the request. The reason is kept for the audit log. */
const CancelRequest = ({ request }: { readonly request: ChangeRequest }) => (
  <DialogButton needs={['change-requests', 'CancelChangeRequest']} text={changeRequestWords.cancel} isHidden={endStatuses.includes(request.status)}>
    {(onClose) => (
      <FormDialog
        title={changeRequestWords.cancel}
        description={changeRequestWords.cancelText}
        submitText={changeRequestWords.cancel}
        service="change-requests"
        method="CancelChangeRequest"
        fixed={{ request_id: request.request_id }}
        done={() => ({ title: changeRequestWords.canceled })}
        onClose={onClose}
      />
    )}
  </DialogButton>
);

/** A request to AWS: its content, AWS's questions, and its history. */
export const ChangeRequestPage = () => {
  const { requestId = '' } = useParams();
  const { notify } = useNotifications();
  const query = useAdminQuery('change-requests', 'GetChangeRequest', { request_id: requestId }, { refetchInterval: 30_000 });
  return (
    <QueryView query={query} variant="page">
      {({ request }) => {
        const state = stateWords('changeRequest', request.status);
        const { aws_reference: reference } = request;
        return (
          <Page title={changeRequestWords.types[request.type]} actions={<CancelRequest request={request} />}>
            {state && (
              <Alert type={alertOf(state.look)} header={state.label}>
                {state.sentence} {state.nextStep}
              </Alert>
            )}
            {request.status === 'ACTION_REQUIRED' && (
              <MethodForm
                title={changeRequestWords.asked}
                description={request.last_error && withLabels(request.last_error)}
                optional={['comment.text']}
                service="change-requests"
                method="ProvideChangeRequestInfo"
                fixed={{ request_id: requestId }}
                submitText={changeRequestWords.provide}
                fields={[...payloadFields('ProvideChangeRequestInfo', request.type), 'comment.text']}
                onDone={() => notify({ type: 'success', title: changeRequestWords.provided })}
              />
            )}
            <Details
              title={changeRequestWords.details}
              details={[
                { label: changeRequestWords.columns.status, value: <StateLabel kind="changeRequest" state={request.status} /> },
                { label: changeRequestWords.columns.created, value: <DetailedTime at={request.created_at} /> },
                { label: changeRequestWords.columns.updated, value: <DetailedTime at={request.updated_at} /> },
                { label: changeRequestWords.columns.summary, value: request.summary },
                ...(request.last_error === undefined
                  ? []
                  : [
                      {
                        label: request.status === 'ACTION_REQUIRED' ? changeRequestWords.missing : changeRequestWords.error,
                        value: withLabels(request.last_error),
                      },
                    ]),
                ...(reference?.requested_value !== undefined ? [{ label: reference.quota_name, value: reference.requested_value.toLocaleString() }] : []),
                ...(reference?.console_url
                  ? [
                      {
                        label: changeRequestWords.atAws,
                        value: (
                          <Link external href={reference.console_url}>
                            {changeRequestWords.awsPage}
                          </Link>
                        ),
                      },
                    ]
                  : []),
                ...payloadDetails(request),
                { label: words.id, value: <Copyable value={request.request_id} name={words.id} /> },
              ]}
            />
            <Timeline requestId={requestId} />
          </Page>
        );
      }}
    </QueryView>
  );
};
