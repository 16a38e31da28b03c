// How the browser is started: the one at FIRSTCALL_CHROMIUM, else Debian's.
export const chromiumOptions = {
  executablePath: process.env.FIRSTCALL_CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
  ],
};
