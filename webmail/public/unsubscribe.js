/**
 * Sends the request to unsubscribe (RFC 8058 §3.2) of the page that frames this document. The page's own policy allows no
 * calls of other servers. This document's origin is opaque, so it has no cookies, no storage and no way into the page.
 */
addEventListener('message', ({ source, origin, data, ports: [port] }) => {
  if (source !== parent || origin !== location.origin || !port) return;
  const url = new URL(data);
  // Without CORS, `fetch` follows redirects or fails. A sender must not redirect (RFC 8058 §3.1), so this policy refuses
  // redirects to another host, which could be one of the person's own network.
  const policy = document.createElement('meta');
  policy.httpEquiv = 'Content-Security-Policy';
  policy.content = `connect-src ${url.origin}`;
  document.head.append(policy);
  fetch(url, {
    method: 'POST',
    mode: 'no-cors',
    credentials: 'omit',
    referrerPolicy: 'no-referrer',
    cache: 'no-store',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  }).then(
    () => port.postMessage(true),
    () => port.postMessage(false),
  );
});
