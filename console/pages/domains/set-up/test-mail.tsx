import { Alert, Box, Button, Container, Form, Header, KeyValuePairs, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { keysOf } from '../../../../contract/values/typed-entries.ts';
import { useAdminQuery } from '../../../api/admin-api.tsx';
import { useMethodFields } from '../../../parts/forms/method-form.tsx';
import { PageLink } from '../../../parts/text/link.tsx';
import { StateLabel } from '../../../parts/text/values.tsx';
import { QueryView } from '../../../parts/view/page.tsx';
import { useSession } from '../../../session/session-gate.tsx';
import { fieldWords } from '../../../words/fields.ts';
import { domainWords } from '../../../words/pages/domains.ts';
import { words } from '../../../words/words.ts';
import { canSend } from '../domain-readiness.ts';
import type { Domain } from '../domain-records.ts';

const { test: texts } = domainWords;
type TestType = keyof typeof texts.expected;
type Sent = { readonly submissionId: string; readonly type: TestType };

/** Milliseconds between two checks of a mail in transit. */
const interval = 2_000;

/** Final states of a mail of each kind. A complaint or a bounce may follow the delivery or replace it. */
const endStates: { readonly [Type in TestType]: readonly string[] } = {
  NORMAL: ['DELIVERED', 'BOUNCED', 'COMPLAINED', 'FAILED'],
  BOUNCE: ['BOUNCED', 'FAILED'],
  COMPLAINT: ['COMPLAINED', 'BOUNCED', 'FAILED'],
  OOTO: ['DELIVERED', 'BOUNCED', 'FAILED'],
};

/** The state of a test mail, which is read repeatedly until the mail has arrived or failed. */
const SentMail = ({ submissionId, type }: Sent) => {
  const query = useAdminQuery(
    'setup',
    'GetSetupTestStatus',
    { submission_id: submissionId },
    { refetchInterval: (response) => (response && endStates[type].includes(response.status) ? false : interval) },
  );
  return (
    <QueryView query={query}>
      {({ status, recipient, smtp_reply: reply }) => (
        <KeyValuePairs
          columns={4}
          items={[
            { label: texts.type, value: fieldWords.values[type] },
            { label: texts.to, value: <PageLink to={`/activity?find=${encodeURIComponent(submissionId)}`}>{recipient}</PageLink> },
            { label: texts.state, value: <StateLabel kind="setupTest" state={status} /> },
            { label: texts.reply, value: reply || words.details.none },
          ]}
        />
      )}
    </QueryView>
  );
};

const TestForm = ({ domain }: { readonly domain: Domain }) => {
  const { person } = useSession();
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const form = useMethodFields({
    service: 'domains',
    method: 'SendTestEmail',
    fields: ['test_type', 'to_email'],
    fixed: { id: domain.id },
    suggested: { test_type: 'NORMAL', to_email: person.email },
    required: ({ test_type: type }) => (type === 'NORMAL' ? ['to_email'] : []),
  });
  const type = keysOf(texts.expected).find((each) => each === form.values['test_type']) ?? 'NORMAL';
  const send = async (): Promise<void> => {
    const request = form.check();
    const response = request && (await form.send(request));
    if (response?.submission_id !== undefined) setSent((known) => [{ submissionId: response.submission_id!, type }, ...known]);
  };
  return (
    <SpaceBetween size="l">
      <Container header={<Header variant="h2">{texts.title}</Header>}>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
          noValidate
        >
          <Form
            errorText={form.errorText}
            actions={
              <Button variant="primary" formAction="submit" loading={form.isPending}>
                {texts.send}
              </Button>
            }
          >
            <SpaceBetween size="l">
              {form.field('test_type')}
              <Box color="text-body-secondary">{texts.expected[type]}</Box>
              {type === 'NORMAL' && form.field('to_email')}
            </SpaceBetween>
          </Form>
        </form>
      </Container>
      {sent.length > 0 && (
        <Container header={<Header variant="h2">{texts.sent}</Header>}>
          <SpaceBetween size="l">
            {sent.map((mail) => (
              <SentMail key={mail.submissionId} {...mail} />
            ))}
          </SpaceBetween>
        </Container>
      )}
    </SpaceBetween>
  );
};

export const TestMail = ({ domain }: { readonly domain: Domain }) => {
  if (!domain.send_enabled)
    return (
      <Alert type="info" header={texts.noSending}>
        {texts.noSendingText}
      </Alert>
    );
  if (!canSend(domain))
    return (
      <Alert type="info" header={texts.waits}>
        {texts.waitsText}
      </Alert>
    );
  return <TestForm domain={domain} />;
};
