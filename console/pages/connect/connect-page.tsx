import { Alert, Box, Button, ColumnLayout, Container, Header, SpaceBetween } from '@cloudscape-design/components';
import { useNavigate, useSearchParams } from 'react-router';
import { renderSVG } from 'uqr';
import { useAdminQuery, type ResponseOf } from '../../api/admin-api.tsx';
import { useConfig, useSessionUrl } from '../../page/config-context.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { nameOf, signInOf } from '../../parts/objects/user-names.ts';
import { Details } from '../../parts/text/details.tsx';
import { Copyable } from '../../parts/text/values.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { connectWords } from '../../words/pages/operations.ts';
import { useAllDomains } from '../domains/all-domains.ts';
import { isReceivedHere } from '../domains/domain-readiness.ts';
import { CopyInstructions } from '../users/copy-instructions.tsx';
import { ResetPasswordButton } from '../users/reset-password.tsx';
import type { PasswordWay } from '../users/temporary-password.tsx';
import { ResendInvitation } from '../users/user-actions.tsx';

export const page: PageDefinition = {
  path: '/connect',
  title: connectWords.title,
  methods: { users: ['GetUserOverview', 'ResendInvitation', 'ResetPassword'], domains: ['ListDomains'] },
};

type Overview = ResponseOf<'users', 'GetUserOverview'>;
type Domain = ResponseOf<'domains', 'ListDomains'>['domains'][number];

const Code = ({ sessionUrl }: { readonly sessionUrl: string }) => (
  <Container
    header={
      <Header variant="h2" description={connectWords.scanText}>
        {connectWords.scan}
      </Header>
    }
  >
    <Box textAlign="center">
      <img className="qr-code" src={`data:image/svg+xml,${encodeURIComponent(renderSVG(sessionUrl, { border: 2 }))}`} alt={connectWords.qr} />
    </Box>
  </Container>
);

/** The rows that say where a person reads mail. */
const placesToRead = (sessionUrl: string, webmailUrl: string | undefined) => [
  ...(webmailUrl === undefined ? [] : [{ label: connectWords.webmail, value: <Copyable value={webmailUrl} name={connectWords.webmail} /> }]),
  { label: connectWords.session, value: <Copyable value={sessionUrl} name={connectWords.session} /> },
];

const ForAnybody = () => {
  const sessionUrl = useSessionUrl();
  const { webmailUrl } = useConfig();
  return (
    <Page title={connectWords.title} description={connectWords.text}>
      <ColumnLayout columns={2}>
        <Details
          title={connectWords.server}
          columns={1}
          details={[...placesToRead(sessionUrl, webmailUrl), { label: connectWords.signIn, value: connectWords.signInText }]}
        />
        <Code sessionUrl={sessionUrl} />
      </ColumnLayout>
    </Page>
  );
};

const NextSteps = ({ user, hasAccount, way }: { readonly user: Overview['user']; readonly hasAccount: boolean; readonly way: PasswordWay }) => {
  const { steps } = connectWords;
  const { mfa, webmailUrl } = useConfig();
  const email = signInOf(user);
  const received = { shown: steps.mailHere(email), private: steps.mailOther, mailed: steps.mail(email) };
  return (
    <Container
      header={
        <Header variant="h2" actions={way === 'mailed' ? <ResendInvitation user={user} /> : <ResetPasswordButton user={user} />}>
          {steps.title}
        </Header>
      }
    >
      <ol className="setup-steps">
        <li>{received[way]}</li>
        {mfa === 'required' && <li>{steps.app}</li>}
        <li>{webmailUrl === undefined ? steps.client : steps.webmail(webmailUrl)}</li>
        <li>{steps.signIn}</li>
        {mfa === 'required' && <li>{steps.secondFactor}</li>}
        {!hasAccount && <li>{steps.noAccount}</li>}
      </ol>
    </Container>
  );
};

/** The settings that one person needs to connect, as text to send, and the person's next steps. */
const ForPerson = ({
  overview: { user, accounts },
  domains,
  passwordWay,
}: {
  readonly overview: Overview;
  readonly domains: readonly Domain[];
  readonly passwordWay: string | null;
}) => {
  const sessionUrl = useSessionUrl();
  const { webmailUrl } = useConfig();
  const navigate = useNavigate();
  const signIn = signInOf(user);
  const addresses = accounts.map(({ email }) => email);
  // Codes and passwords are mailed only to addresses outside.
  const usual = isReceivedHere(signIn.toLowerCase(), domains) ? 'shown' : 'mailed';
  const way = passwordWay === 'shown' || passwordWay === 'private' ? passwordWay : usual;
  const isMailed = way !== 'shown';
  return (
    <Page
      title={connectWords.titleFor(nameOf(user))}
      description={connectWords.textFor}
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button onClick={() => void navigate(`/users/${user.user_id}`)}>{connectWords.openUser}</Button>
          <Button variant="primary" onClick={() => void navigate('/users')}>
            {connectWords.done}
          </Button>
        </SpaceBetween>
      }
    >
      {!user.is_active && (
        <Alert type="warning" header={connectWords.inactive.title}>
          {connectWords.inactive.text}
        </Alert>
      )}
      <ColumnLayout columns={2}>
        <Details
          title={connectWords.passOn}
          columns={1}
          actions={<CopyInstructions overview={{ user, accounts }} way={way} />}
          details={[
            {
              label: connectWords.address,
              value:
                addresses.length === 0
                  ? connectWords.noAddress
                  : addresses.map((email) => (
                      <div key={email}>
                        <Copyable value={email} name={connectWords.address} />
                      </div>
                    )),
            },
            ...placesToRead(sessionUrl, webmailUrl),
            { label: connectWords.signInAs, value: <Copyable value={signIn} name={connectWords.signInAs} /> },
            { label: connectWords.password, value: isMailed ? connectWords.passwordText : connectWords.passwordHere },
          ]}
        />
        <Code sessionUrl={sessionUrl} />
      </ColumnLayout>
      {user.is_active && <NextSteps user={user} hasAccount={addresses.length > 0} way={way} />}
    </Page>
  );
};

const OfUser = ({ userId, passwordWay }: { readonly userId: string; readonly passwordWay: string | null }) => {
  const query = useAdminQuery('users', 'GetUserOverview', { user_id: userId });
  const domains = useAllDomains();
  return (
    <QueryView query={query}>
      {(overview) => <QueryView query={domains}>{(all) => <ForPerson overview={overview} domains={all} passwordWay={passwordWay} />}</QueryView>}
    </QueryView>
  );
};

/** Instructions to connect a mail client: for anybody, or for the user in the URL (`?user=`), who may have a temporary password. */
export const ConnectPage = () => {
  const [parameters] = useSearchParams();
  const userId = parameters.get('user');
  return userId === null ? <ForAnybody /> : <OfUser userId={userId} passwordWay={parameters.get('password')} />;
};
