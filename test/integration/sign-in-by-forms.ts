import { parseForms } from '../../sandbox/clients/html-forms.ts';
import { sandboxUser } from './deployment.ts';

/**
 * Opens a page like a browser without scripts, fills in the sign-in forms, and follows redirects to the callback URL,
 * where a server must listen.
 */
export const signInByForms = async (name: Parameters<typeof sandboxUser>[0], url: string, callback: string): Promise<void> => {
  const { email, password } = sandboxUser(name);
  const typedValues: Record<string, string> = { username: email, password };
  const cookies = new Map<string, string>();
  let [next, form]: [string, URLSearchParams | undefined] = [url, undefined];
  for (let hops = 0; hops < 12; hops++) {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ');
    const answer = await fetch(next, { method: form ? 'POST' : 'GET', body: form, redirect: 'manual', headers: cookie ? { cookie } : {} });
    for (const set of answer.headers.getSetCookie()) {
      const [key = '', value = ''] = (set.split(';')[0] ?? '').split(/=(.*)/s);
      cookies.set(key.trim(), value);
    }
    const [location, page] = [answer.headers.get('location'), await answer.text()];
    if (next.startsWith(callback)) return;
    form = undefined;
    if (location) next = new URL(location, next).href;
    else {
      const signInForm = parseForms(page).find(
        ({ fields }) => fields.some((field) => field.name === 'username' || field.name === 'password'),
      );
      if (!signInForm) throw new Error('the sign-in page has no form with a user name or password');
      form = new URLSearchParams();
      for (const { type, name: field, value } of signInForm.fields) {
        if (type === 'hidden' || field in typedValues) form.append(field, typedValues[field] ?? value);
      }
      next = new URL(signInForm.action, next).href;
    }
  }
  throw new Error('the sign-in did not redirect to the callback');
};
