import { Alert, Button, Checkbox, ColumnLayout, Container, Form, Header, SpaceBetween } from '@cloudscape-design/components';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { AdminApiError } from '../../../contract/client.ts';
import type { ResponseOf } from '../../api/admin-api.tsx';
import type { PageDefinition } from '../../page/page-definition.ts';
import { useUnsavedChanges } from '../../page/unsaved-changes.tsx';
import { Choice } from '../../parts/forms/choice.tsx';
import type { FieldInput } from '../../parts/forms/field-input.tsx';
import { useMethodFields } from '../../parts/forms/method-form.tsx';
import { PagedSelect } from '../../parts/forms/paged-select.tsx';
import { nameOf, signInOf } from '../../parts/objects/user-names.ts';
import { PageLink } from '../../parts/text/link.tsx';
import { useNotifications } from '../../parts/view/notifications.tsx';
import { Page, QueryView } from '../../parts/view/page.tsx';
import { inviteWords, userWords } from '../../words/pages/users.ts';
import { words } from '../../words/words.ts';
import { useAllDomains } from '../domains/all-domains.ts';
import { hasMailboxes, isReceivedHere } from '../domains/domain-readiness.ts';
import { ExistingUser } from './existing-user.tsx';
import { TemporaryPassword, type PasswordWay } from './temporary-password.tsx';

export const page: PageDefinition = {
  path: '/users/invite',
  title: userWords.invite,
  parent: '/users',
  methods: { users: ['CreateUser'], accounts: ['CreateAccount'], domains: ['ListDomains'] },
};

type User = ResponseOf<'users', 'CreateUser'>['user'];
type Domain = ResponseOf<'domains', 'ListDomains'>['domains'][number];

const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** The suggested address of the account: the person's own address when it is in a domain of this deployment. */
const suggestedAddress = (email: string, domains: readonly Domain[]) => {
  const at = email.lastIndexOf('@');
  const domain = domains.find((one) => one.domain === email.slice(at + 1)) ?? domains.find((one) => one.is_primary) ?? domains[0];
  return { local_part: at > 0 ? email.slice(0, at) : email, domain_id: domain?.id };
};

const domainChoice =
  (domains: readonly Domain[]): FieldInput =>
  (props) => (
    <PagedSelect
      {...props}
      source={{ items: domains, error: null, isReading: false, refresh: () => undefined }}
      optionOf={({ id: value, domain: label }) => ({ value, label })}
    />
  );

const NoDomain = () => (
  <Alert type="info">
    {inviteWords.noDomain} <PageLink to="/domains/add">{inviteWords.addDomain}</PageLink>
  </Alert>
);

const OwnAddress = ({ email }: { readonly email: string }) => (
  <Alert type="warning" header={inviteWords.ownAddress.title}>
    {inviteWords.ownAddress.text(email)} {inviteWords.ownAddress.advice}
  </Alert>
);

/** The result when the user was invited but the account was refused. */
const HalfDone = ({ user }: { readonly user: User }) => (
  <Alert type="warning" header={inviteWords.half.title(signInOf(user))}>
    {inviteWords.half.text}
  </Alert>
);

/** Asks for a person, and creates the user with a temporary password. */
const useNewUser = (all: readonly Domain[]) => {
  const { notify } = useNotifications();
  const [invited, setInvited] = useState<User>();
  const [chosen, setWay] = useState<PasswordWay>();
  /** The temporary password, until the dialog that shows it is closed. */
  const [password, setPassword] = useState<string>();
  const fields = useMethodFields({
    service: 'users',
    method: 'CreateUser',
    fields: ['email', 'display_name', 'invitation_email'],
    required: () => (chosen === 'private' ? ['invitation_email'] : []),
  });
  const email = invited ? signInOf(invited) : textOf(fields.values['email']).toLowerCase();
  const isHere = isReceivedHere(email, all);
  const way = isHere && chosen !== 'private' ? 'shown' : (chosen ?? 'mailed');
  const invite = async (): Promise<ResponseOf<'users', 'CreateUser'> | undefined> => {
    const request = fields.check();
    if (!request) return undefined;
    const { invitation_email: to, ...rest } = request;
    const answer = await fields.send({ ...rest, return_temporary_password: way === 'shown', ...(way === 'private' && { invitation_email: to }) });
    if (!answer) return undefined;
    const { user: created, invitation_sent: isSent, temporary_password: temporary } = answer;
    setInvited(created);
    setPassword(temporary);
    notify({ type: 'success', title: (isSent ? inviteWords.invited : inviteWords.created)(signInOf(created)) });
    return answer;
  };
  const isTaken = fields.error instanceof AdminApiError && fields.error.code === 'already_exists';
  return { fields, email, isHere, isTaken, way, setWay, invited, setInvited, password, setPassword, invite };
};

/** Asks for the address of an account. */
const useNewAccount = (domains: readonly Domain[], suggested: ReturnType<typeof suggestedAddress>) =>
  useMethodFields({
    service: 'accounts',
    method: 'CreateAccount',
    fields: ['local_part', 'domain_id'],
    suggested,
    inputs: { domain_id: domainChoice(domains) },
  });

const PersonFields = ({ fields, isHere, way, setWay }: ReturnType<typeof useNewUser>) => {
  const { mailed, ...elsewhere } = inviteWords.ways;
  return (
    <Container
      header={
        <Header variant="h2" description={inviteWords.personText}>
          {inviteWords.person}
        </Header>
      }
    >
      <SpaceBetween size="l">
        {fields.field('email')}
        {fields.field('display_name')}
        <Choice label={inviteWords.way} value={way} options={isHere ? elsewhere : { mailed, ...elsewhere }} onChange={setWay} />
        {way === 'private' && fields.field('invitation_email')}
      </SpaceBetween>
    </Container>
  );
};

type AccountFieldsProps = {
  readonly fields: ReturnType<typeof useNewAccount>;
  readonly person: ReturnType<typeof useNewUser>;
  readonly hasDomain: boolean;
  readonly isWithAccount: boolean;
  readonly onWithAccount: (isWithAccount: boolean) => void;
};

const AccountFields = ({ fields, person, hasDomain, isWithAccount, onWithAccount }: AccountFieldsProps) => (
  <Container
    header={
      <Header variant="h2" description={inviteWords.accountText}>
        {inviteWords.account}
      </Header>
    }
  >
    <SpaceBetween size="l">
      {!hasDomain && <NoDomain />}
      {hasDomain && !person.invited && (
        <Checkbox checked={isWithAccount} onChange={({ detail }) => onWithAccount(detail.checked)}>
          {inviteWords.withAccount}
        </Checkbox>
      )}
      {isWithAccount && (
        <ColumnLayout columns={2}>
          {fields.field('local_part')}
          {fields.field('domain_id')}
        </ColumnLayout>
      )}
      {!person.invited && person.isHere && <OwnAddress email={person.email} />}
    </SpaceBetween>
  </Container>
);

/** The form for a person, their new account and its address. */
const InviteForm = ({ all }: { readonly all: readonly Domain[] }) => {
  const domains = all.filter(hasMailboxes);
  const navigate = useNavigate();
  const [isWithAccount, setWithAccount] = useState(domains.length > 0);
  const [isComplete, setComplete] = useState(false);
  const person = useNewUser(all);
  const { fields, email, way, invited, password } = person;
  const suggested = suggestedAddress(email, domains);
  const account = useNewAccount(domains, suggested);
  const isPending = fields.isPending || account.isPending;
  useUnsavedChanges(!isPending && !isComplete && ((!invited && fields.isUnsaved) || (isWithAccount && account.isUnsaved)));
  const submitText = invited ? inviteWords.half.retry : way === 'shown' ? inviteWords.createUser : userWords.create;

  const connectionOf = (user: User): string => `/connect?user=${user.user_id}&password=${way}`;
  const submit = async (): Promise<void> => {
    const localPart = textOf(account.values['local_part']);
    // Without a name the account is named by its address. Without that, the address alone is asked for.
    const name = invited ? nameOf(invited) : textOf(fields.values['display_name']) || suggested.local_part || localPart || words.details.none;
    // The id of the user is known only when the person is invited; everything else is checked before.
    const request = isWithAccount ? account.check({ user_id: invited?.user_id ?? words.details.none, name }) : undefined;
    if (isWithAccount && !request) return void (invited ?? fields.check());
    const created = invited ? undefined : await person.invite();
    const user = invited ?? created?.user;
    if (!user) return;
    if (request && !(await account.send({ ...request, user_id: user.user_id }))) return;
    setComplete(true);
    // The dialog with a password leads on when it is closed.
    if (created?.temporary_password === undefined) await navigate(connectionOf(user));
  };
  const closePassword = (): void => {
    person.setPassword(undefined);
    if (isComplete && invited) void navigate(connectionOf(invited));
  };

  const leave = invited ? connectionOf(invited) : '/users';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      noValidate
    >
      <Form
        errorText={(!invited && fields.errorText) || (isWithAccount ? account.errorText : undefined)}
        actions={
          <SpaceBetween direction="horizontal" size="xs">
            <Button formAction="none" variant="link" onClick={() => void navigate(leave)}>
              {invited ? inviteWords.half.later : words.form.cancel}
            </Button>
            <Button variant="primary" loading={isPending} formAction="submit">
              {submitText}
            </Button>
          </SpaceBetween>
        }
      >
        <SpaceBetween size="l">
          {person.isTaken && !invited && (
            <ExistingUser
              email={email}
              onContinue={(user) => {
                person.setInvited(user);
                setWithAccount(true);
                person.setWay(undefined);
              }}
            />
          )}
          {invited && !isPending && !isComplete && <HalfDone user={invited} />}
          {invited && password !== undefined && (
            <TemporaryPassword title={inviteWords.password(signInOf(invited))} user={invited} password={password} onClose={closePassword} />
          )}
          {!invited && <PersonFields {...person} />}
          <AccountFields fields={account} person={person} hasDomain={domains.length > 0} isWithAccount={isWithAccount} onWithAccount={setWithAccount} />
        </SpaceBetween>
      </Form>
    </form>
  );
};

export const InviteUserPage = () => {
  const query = useAllDomains();
  return (
    <Page title={userWords.invite}>
      <QueryView query={query}>{(domains) => <InviteForm all={domains} />}</QueryView>
    </Page>
  );
};
